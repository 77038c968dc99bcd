// @ts-check
/** Which lines are shown: of a folded block its head alone. A row is a line that is shown. */

/** @import { Block } from "./blocks.js" */

export function foldable() {
  let total = 0; // lines
  /** @type {Block[]} */ let blocks = [];
  /** @type {Map<Block, Block>} */ const outer = new Map();
  /** @type {Map<number, Block>} */ const headed = new Map();
  /** @type {Set<Block>} */ const folded = new Set();
  // Of rows their lines, of lines their rows; null: they are the same.
  /** @type {Int32Array|null} */ let lineOf = null;
  /** @type {Int32Array|null} */ let rowOf = null;
  let count = 0;

  function arrange() {
    if (!folded.size) {
      lineOf = rowOf = null;
      count = total;
      return;
    }
    lineOf = new Int32Array(total);
    rowOf = new Int32Array(total);
    let row = 0;
    let next = 0; // the block that begins next
    for (let line = 0; line < total; row++) {
      while (next < blocks.length && blocks[next].first < line) next++;
      /** @type {Block|null} */ let block = null;
      for (; next < blocks.length && blocks[next].first === line && !block; next++) if (folded.has(blocks[next])) block = blocks[next];
      lineOf[row] = block ? block.head : line;
      const last = block ? block.last : line;
      for (; line <= last; line++) rowOf[line] = row;
    }
    count = row;
  }

  /** The innermost block that a line is in. @param {number} line @returns {Block|null} */
  function around(line) {
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (blocks[middle].first <= line) low = middle + 1;
      else high = middle;
    }
    /** @type {Block|undefined} */ let block = blocks[low - 1];
    while (block && block.last < line) block = outer.get(block);
    return block ?? null;
  }

  /** @param {number} row */
  const lineAt = (row) => (lineOf ? lineOf[row] : row);
  /** @param {number} line */
  const rowAt = (line) => (rowOf ? rowOf[line] : line);

  return {
    /** @param {number} lines */
    reset(lines) {
      total = lines;
      blocks = [];
      outer.clear();
      headed.clear();
      folded.clear();
      arrange();
    },
    /** @param {Block[]} found  outer ones first */
    set(found) {
      blocks = found;
      /** @type {Block[]} */ const open = [];
      for (const block of blocks) {
        while (open.length && open[open.length - 1].last < block.first) open.pop();
        if (open.length) outer.set(block, open[open.length - 1]);
        open.push(block);
        if (!headed.has(block.head)) headed.set(block.head, block);
      }
    },
    get any() {
      return blocks.length > 0;
    },
    /** Rows. */
    get count() {
      return count;
    },
    lineAt,
    rowAt,
    around,
    /** The block that is folded into the line; null: the line stands for itself. @param {number} line */
    foldedAt(line) {
      const block = folded.size ? headed.get(line) : undefined;
      return block && folded.has(block) ? block : null;
    },
    /** @param {number} line @returns {Block|null} */
    headedBy: (line) => headed.get(line) ?? null,
    /** @param {Block} block */
    isFolded: (block) => folded.has(block),
    /** @param {Block} block @returns {Block|null} */
    outerOf: (block) => outer.get(block) ?? null,
    /** @param {Block} block @param {boolean} fold */
    fold(block, fold) {
      if (fold) folded.add(block);
      else folded.delete(block);
      arrange();
    },
    /** @param {boolean} fold */
    foldAll(fold) {
      folded.clear();
      if (fold) for (const block of blocks) folded.add(block);
      arrange();
    },
    get allFolded() {
      return folded.size > 0 && folded.size === blocks.length;
    },
    /** Unfolds what hides a line. @param {number} line @returns {boolean} it was hidden */
    open(line) {
      if (!folded.size || lineAt(rowAt(line)) === line) return false;
      for (let block = around(line); block; block = outer.get(block) ?? null) if (block.head !== line) folded.delete(block);
      arrange();
      return true;
    },
  };
}
