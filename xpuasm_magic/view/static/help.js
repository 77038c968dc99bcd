// @ts-check
/** A small box of help beside a token. */

import { h, visible } from "./dom.js";

/** A small box of help beside a token; the page's reader hears it too. */
export function helpBox() {
  const box = h("div", { class: "xa-help", role: "tooltip", "aria-live": "polite", hidden: true });
  return {
    element: box,
    /** @param {Record<string, string>} help @param {number} x @param {number} y */
    show(help, x, y) {
      box.replaceChildren(
        h("strong", { text: visible(help.title) }),
        ...["text", "operands", "pitfall"].filter((part) => help[part]).map((part) => h("p", { class: `xa-help-${part}`, text: visible(help[part]) })),
        help.source ? h("small", { text: visible(help.source) }) : null,
      );
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      box.style.left = `${Math.max(4, Math.min(x + 8, innerWidth - width - 8))}px`;
      box.style.top = `${y + 16 + height < innerHeight ? y + 16 : Math.max(4, y - height - 12)}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}
