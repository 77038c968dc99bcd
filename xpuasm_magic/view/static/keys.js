// @ts-check
/** The keys that the page knows. */

import { h } from "./dom.js";

const KEYS = /** @type {[string, [string, string][]][]} */ ([
  ["Kernels", [
    ["↑ ↓  PgUp PgDn  Home End", "choose a kernel"],
    ["→ ←", "show and fold its configs"],
    ["Enter", "read its code"],
    ["/", "filter by name, config, family, status"],
    ["c", "copy the row as CSV"],
    ["s  Ctrl+Shift+F", "search in the code of all kernels"],
    ["Esc", "from anywhere: back to the kernels, or to what was found"],
    ["?", "these keys"],
  ]],
  ["Search in all kernels", [
    ["Enter", "search; on a line that was found: read it there"],
    ["↑ ↓  Home End", "choose a line that was found"],
    ["Space", "show the line, stay in the list"],
    ["Esc", "to the words; from there: close the search"],
  ]],
  ["The chosen kernel", [
    ["w", "what if: another device, GRF mode, compiler or number of warps"],
    ["d", "compare it with another kernel or build"],
    ["[  ]", "in a comparison: the change before and after"],
    ["Z", "in a comparison: also the lines that do not differ"],
    ["Esc", "close the comparison, or what if"],
  ]],
  ["A listing", [
    ["↑ ↓  PgUp PgDn", "choose a line, and light up what belongs to it elsewhere"],
    ["Home End  g G", "first and last line"],
    ["/", "find"],
    ["n  N", "next and previous match of the search or the opcode"],
    ["Enter  double click", "on a branch: go to its target"],
    ["Backspace", "back from a branch's target"],
    ["←  z", "fold the block of the line"],
    ["→  z", "unfold it"],
    ["Z", "fold all blocks, or unfold all"],
    ["h", "help on the instruction of the line"],
    ["click on r12", "mark its writes and reads"],
    ["Ctrl+A  Ctrl+C", "copy the text as the compiler wrote it; ▾ beside Copy has other ways"],
    ["← →", "on the stages: choose; on the divider: move it"],
  ]],
]);

export function keysDialog() {
  const close = h("button", { class: "xa-button", type: "button", text: "Close", on: { click: () => dialog.close() } });
  const dialog = h(
    "dialog", { class: "xa-keys", "aria-label": "Keys" },
    ...KEYS.flatMap(([where, keys]) => [h("h4", { text: where }), h("dl", {}, ...keys.flatMap(([key, effect]) => [h("dt", { text: key }), h("dd", { text: effect })]))]),
    close,
  );
  dialog.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  return dialog;
}
