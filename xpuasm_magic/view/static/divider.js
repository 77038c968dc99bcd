// @ts-check
/** The bar between two panes, by which their widths are shared. */

import { h } from "./dom.js";

/**
 * @param {() => [HTMLElement, HTMLElement]} neighbours  the panes at its left and right
 * @param {number[]} widths  weights of all panes @param {number} index  of the one at its right
 * @param {() => void} moved  the reader has moved it
 */
export function paneDivider(neighbours, widths, index, moved) {
  const bar = h("div", { class: "xa-divider", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the panes", tabindex: "0" });
  /** @param {number} pixels */
  const shift = (pixels) => {
    const [left, right] = neighbours();
    const total = left.offsetWidth + right.offsetWidth;
    const share = Math.max(0.1, Math.min(0.9, (left.offsetWidth + pixels) / total));
    const weights = widths[index - 1] + widths[index];
    widths[index - 1] = share * weights;
    widths[index] = (1 - share) * weights;
    left.style.flexGrow = String(widths[index - 1]);
    right.style.flexGrow = String(widths[index]);
    bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  };
  bar.setAttribute("aria-valuenow", String(Math.round((100 * widths[index - 1]) / (widths[index - 1] + widths[index]))));
  bar.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (bar.hasPointerCapture(event.pointerId)) shift(event.clientX - bar.getBoundingClientRect().left - 3);
  });
  bar.addEventListener("pointerup", () => moved());
  bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
    if (!step) return;
    shift(step);
    moved();
    event.preventDefault();
    event.stopPropagation();
  });
  return bar;
}
