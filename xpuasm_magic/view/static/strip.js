// @ts-check
/** Marks beside the scroll bar: where in the whole listing something is. */

import { h } from "./dom.js";

export function markStrip() {
  const element = h("div", { class: "xa-strip", "aria-hidden": "true" });
  return {
    element,
    /** @param {number} height @param {number} rows @param {[string, Iterable<number>][]} kinds  class, rows; later ones cover earlier ones */
    draw(height, rows, kinds) {
      /** @type {Map<number, string>} */ const marks = new Map();
      if (height && rows) for (const [css, places] of kinds) for (const row of places) marks.set(Math.round((row / rows) * (height - 3)), css);
      element.replaceChildren(
        ...[...marks].map(([top, css]) => {
          const one = h("i", { class: css });
          one.style.top = `${top}px`;
          return one;
        }),
      );
    },
  };
}
