// @ts-check
/** Registers in a line of ISA, and marks inside lines. */

// Marks inside a line are ranges, no elements: the text and its colours stay as they are.
const MARKED = /** @type {const} */ (["find", "read", "write"]);
/** @type {Record<string, any>} */ export const highlights = {};
if (typeof Highlight === "function" && CSS.highlights) {
  for (const name of MARKED) {
    highlights[name] = new Highlight();
    CSS.highlights.set(`xa-${name}`, highlights[name]);
  }
}

// r12   r10.0<1>:f   r127:1 (a payload of one register)
export const REGISTER = /\br(\d+)(?::(\d+)(?![\w]))?/g;
// What comes before the operands: (W&f0.0)  mad (16|M0)
const BEFORE_OPERANDS = /^\s*(?:\([^)]*\)\s*)?[a-z][\w.]*\s*(?:\(\d+\|M\d+\)\s*)?(?:\([a-z]+\)f\d\.\d\s*)?/;
export const OPCODE = /^\s*(?:\([^)]*\)\s*)*([a-z]\w*)/;

/** Where a register is written and read in a line of ISA. @param {string} text @param {number} register */
export function registerUses(text, register) {
  const end = text.search(/\{|\/\/|$/);
  const operands = BEFORE_OPERANDS.exec(text)?.[0].length ?? 0;
  /** @type {{start: number, end: number, written: boolean}[]} */ const found = [];
  for (const use of text.slice(0, end).matchAll(REGISTER)) {
    const first = Number(use[1]);
    const start = /** @type {number} */ (use.index);
    if (start < operands || register < first || register >= first + Number(use[2] ?? 1)) continue;
    found.push({ start, end: start + use[0].length, written: start === operands });
  }
  return found;
}
