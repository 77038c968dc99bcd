// @ts-check
/** A button that opens a short list of things to do. */

import { h } from "./dom.js";

/**
 * @param {string} label  said of the button
 * @param {{title: string, tooltip: string, act: () => void}[]} items
 */
export function actionMenu(label, items) {
  const button = h("button", { class: "xa-button xa-menu-button", type: "button", text: "▾", "aria-label": label, title: label, "aria-haspopup": "menu", "aria-expanded": "false" });
  const list = h(
    "div", { class: "xa-menu xa-actions", role: "menu", "aria-label": label, hidden: true },
    ...items.map(({ title, tooltip, act }) =>
      h("button", { class: "xa-action", type: "button", role: "menuitem", tabindex: "-1", text: title, title: tooltip, on: { click: () => { toggle(false); button.focus(); act(); } } }),
    ),
  );
  const element = h("div", { class: "xa-menu-box" }, button, list);
  const entries = () => /** @type {HTMLElement[]} */ ([...list.children]);

  /** @param {boolean} open */
  function toggle(open) {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    // It floats above what would cut it off.
    const { bottom, right } = button.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    list.style.top = `${bottom + 2}px`;
    list.style.left = `${Math.max(4, Math.min(right, clientWidth - 4) - list.offsetWidth)}px`;
    entries()[0]?.focus();
  }

  // What is selected in a listing stays so.
  element.addEventListener("mousedown", (/** @type {MouseEvent} */ event) => event.preventDefault());
  button.addEventListener("click", () => toggle(list.hidden));
  element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (!element.contains(/** @type {Node|null} */ (event.relatedTarget))) toggle(false);
  });
  const outside = (/** @type {Event} */ event) => {
    if (!list.hidden && !event.composedPath().includes(element)) toggle(false);
  };
  document.addEventListener("pointerdown", outside);
  document.addEventListener("scroll", outside, true);
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    const all = entries();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (list.hidden) {
      if (event.key !== "ArrowDown") return;
      toggle(true);
    } else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else if (event.key === "Home") all[0].focus();
    else if (event.key === "End") all[all.length - 1].focus();
    else if (event.key === "Escape") {
      toggle(false);
      button.focus();
    } else return;
    event.preventDefault();
  });

  return {
    element,
    button,
    destroy() {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("scroll", outside, true);
    },
  };
}
