// @ts-check
/** Configs of one kernel, folded under one row. */

/** @import { Cell, Kernel } from "./types.js" */

/**
 * @typedef {{kernel: Kernel, others: Kernel[]}} Group  a row, and the configs that are folded under it
 * @typedef {{column: string, down: boolean}} Sort
 * @typedef {(kernel: Kernel, column: string) => Cell} CellOf
 */

/** Columns of which a folded row says the worst: it must be seen without being looked for. */
const WORST = /^spill_/;

/**
 * The configs of a kernel stand under the one that won; where none was measured, under the first. Variants that
 * are no rivals (each won by itself) keep a row each.
 *
 * @param {Kernel[]} kernels @param {CellOf} value @returns {Group[]}
 */
export function grouped(kernels, value) {
  /** @type {Map<string, Kernel[]>} */ const byGroup = new Map();
  for (const kernel of kernels) {
    const have = byGroup.get(kernel.group);
    if (have) have.push(kernel);
    else byGroup.set(kernel.group, [kernel]);
  }
  /** @type {Map<Kernel, Kernel[]>} */ const heads = new Map();
  for (const members of byGroup.values()) {
    const winners = members.filter((kernel) => value(kernel, "winner") === true);
    const top = winners.length ? winners : members.slice(0, 1);
    for (const kernel of top) heads.set(kernel, []);
    heads.get(top[0])?.push(...members.filter((kernel) => !top.includes(kernel)));
  }
  return kernels.filter((kernel) => heads.has(kernel)).map((kernel) => ({ kernel, others: heads.get(kernel) ?? [] }));
}

/** The same groups in a column's order. @param {Group[]} groups @param {Sort} sort @param {CellOf} value @returns {Group[]} */
export function sortedGroups(groups, sort, value) {
  const by = (/** @type {Cell} */ a, /** @type {Cell} */ b) => compare(a, b, sort.down);
  return groups
    .map(({ kernel, others }) => ({ kernel, others: [...others].sort((a, b) => by(value(a, sort.column), value(b, sort.column))) }))
    .sort((a, b) => by(worst(a, sort.column, value) ?? value(a.kernel, sort.column), worst(b, sort.column, value) ?? value(b.kernel, sort.column)));
}

/** What the folded configs have at most of something bad, where that is more than the row's own. @param {Group} group @param {string} column @param {CellOf} value @returns {number|null} */
export function worst(group, column, value) {
  if (!WORST.test(column)) return null;
  const most = Math.max(0, ...group.others.map((kernel) => Number(value(kernel, column) ?? 0)));
  return most > Number(value(group.kernel, column) ?? 0) ? most : null;
}

/** Missing values come last, whichever way the sort runs. @param {Cell} a @param {Cell} b @param {boolean} down */
function compare(a, b, down) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "en", { numeric: true }) : Number(a) - Number(b);
  return down ? -order : order;
}
