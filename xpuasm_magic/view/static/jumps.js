// @ts-check
/** From a branch to its target and back. */

import { dialectOf } from "./dialects.js";

const WORD = /[\w.$-]+/g;

/** @param {string} stage @param {string[]} lines */
export function jumps(stage, lines) {
  const { label } = dialectOf(stage);
  /** @type {Map<string, number>|null} */ let labels = null;
  /** @type {number[]} */ const trail = [];
  const bare = (/** @type {string} */ name) => name.replace(/^[%^]|"/g, "");

  function known() {
    if (!labels) {
      labels = new Map();
      for (let index = 0; index < lines.length; index++) {
        const found = label?.exec(lines[index]);
        if (found) labels.set(bare(found[1]), index);
      }
    }
    return labels;
  }

  return {
    /** Of the labels that a line names, the one that it goes to. @param {number} line @returns {number|null} */
    target(line) {
      const text = lines[line];
      if (!label || label.test(text)) return null;
      for (const [word] of text.matchAll(WORD)) {
        const at = known().get(word);
        if (at !== undefined) return at;
      }
      return null;
    },
    /** @param {number} line  where to come back to */
    leave: (line) => trail.push(line),
    back: () => trail.pop() ?? null,
  };
}
