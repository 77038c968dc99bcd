// @ts-check
/** Marks inside the rows that exist: what was found, writes and reads of a register. */

import { rangeIn } from "./positions.js";
import { registerUses } from "./registers.js";

// Marks inside a line are ranges, no elements: the text and its colours stay as they are.
const MARKED = /** @type {const} */ (["find", "read", "write"]);
const MOST_IN_LINE = 200; // marks of one line: a line of 100,000 letters could have as many
const MOST_MARKS = 5000; // in all rows together
/** @type {Record<string, any>} */ const highlights = {};
if (typeof Highlight === "function" && CSS.highlights) {
  for (const name of MARKED) {
    highlights[name] = new Highlight();
    CSS.highlights.set(`xa-${name}`, highlights[name]);
  }
}

/** Marks of one listing; those of others stay. */
export function textMarks() {
  /** @type {[string, Range][]} */ let own = [];

  function clear() {
    for (const [name, range] of own) highlights[name].delete(range);
    own = [];
  }

  return {
    clear,
    /**
     * @param {Map<number, HTMLElement>} rows  by line
     * @param {string[]} lines
     * @param {string} needle  in lower case; empty: none
     * @param {{number: number, bytes: number, coded: (line: number) => boolean}|null} register
     */
    draw(rows, lines, needle, register) {
      if (own.length) clear();
      if ((!needle && !register) || !highlights.find) return;
      const put = (/** @type {string} */ name, /** @type {Range|null} */ range) => {
        if (!range || own.length >= MOST_MARKS) return;
        highlights[name].add(range);
        own.push([name, range]);
      };
      for (const [index, row] of rows) {
        if (needle) {
          const text = lines[index].toLowerCase();
          let left = MOST_IN_LINE;
          for (let at = text.indexOf(needle); at >= 0 && left-- > 0; at = text.indexOf(needle, at + needle.length)) put("find", rangeIn(row, at, at + needle.length));
        }
        if (own.length >= MOST_MARKS) break;
        if (register?.coded(index)) {
          for (const use of registerUses(lines[index], register.number, register.bytes).slice(0, MOST_IN_LINE)) put(use.written ? "write" : "read", rangeIn(row, use.start, use.end));
        }
      }
    },
  };
}
