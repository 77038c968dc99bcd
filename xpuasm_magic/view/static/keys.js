// @ts-check
/** The keys that the page knows. */

import { h } from "./dom.js";

const KEYS = [
  ["/", "filter kernels; in a listing: find"],
  ["↑ ↓", "next kernel; in a listing: next line, and what belongs to it elsewhere"],
  ["Enter", "read the kernel; in a listing: go to the branch's target"],
  ["Backspace", "back from a branch's target"],
  ["n  N", "next and previous match of the search or the opcode"],
  ["h", "help on the instruction of the line"],
  ["Home  End", "first and last"],
  ["click on r12", "mark its writes and reads"],
  ["double click on a branch", "go to its target"],
  ["← →", "on the stages: choose; on the divider: move it"],
  ["Esc", "back to the kernels"],
];

export function keysDialog() {
  const close = h("button", { class: "xa-button", type: "button", text: "Close", on: { click: () => dialog.close() } });
  const dialog = h(
    "dialog", { class: "xa-keys", "aria-label": "Keys" },
    h("dl", {}, ...KEYS.flatMap(([keys, effect]) => [h("dt", { text: keys }), h("dd", { text: effect })])),
    close,
  );
  dialog.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  return dialog;
}
