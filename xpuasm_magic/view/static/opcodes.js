// @ts-check
/** Which instructions a listing has, and where. */

import { dialectOf } from "./dialects.js";

/** By name, with how many there are. @param {string} stage @param {string[]} lines @param {(number|null)[]} pcs @returns {[string, number][]} */
export function opcodeCounts(stage, lines, pcs) {
  const { named } = dialectOf(stage);
  /** @type {Map<string, number>} */ const found = new Map();
  lines.forEach((line, index) => {
    const name = named(line, pcs[index] != null);
    if (name) found.set(name, (found.get(name) ?? 0) + 1);
  });
  return [...found].sort((a, b) => a[0].localeCompare(b[0]));
}

/** @param {string} name @param {string} stage @param {string[]} lines @param {(number|null)[]} pcs */
export function linesOfOpcode(name, stage, lines, pcs) {
  const { named } = dialectOf(stage);
  /** @type {number[]} */ const found = [];
  lines.forEach((line, index) => named(line, pcs[index] != null) === name && found.push(index));
  return found;
}
