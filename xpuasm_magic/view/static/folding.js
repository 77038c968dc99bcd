// @ts-check
/** Folding the blocks of a listing: marks, one block, all. */

import { h } from "./dom.js";
import { blocksOf, summaryOf } from "./blocks.js";
/** @import { Block, Text } from "./blocks.js" */

/**
 * @typedef {object} Folded  the listing whose blocks fold
 * @property {() => Text} text
 * @property {() => ReturnType<typeof listingRows>} rows
 * @property {() => number} line  that the keys are on, or the first in view
 * @property {(line: number) => number} move  where the keys are, from there
 * @property {() => void} changed  other blocks are folded
 * @property {(text: string) => void} said
 */

/** @param {ReturnType<typeof foldable>} folds @param {Folded} list */
export function listingFolding(folds, list) {
  let known = false;

  /** Blocks are looked for when the text is on the screen, or when somebody wants them. */
  function know() {
    const text = list.text();
    if (known || !text.lines.length) return;
    known = true;
    folds.set(blocksOf(text));
    if (folds.any) list.rows().refill();
  }

  /** @param {() => void} change @param {number} anchor  a line that stays where it is */
  function refold(change, anchor) {
    const settle = list.rows().arrange(anchor);
    change();
    list.move(folds.lineAt);
    settle();
    list.changed();
  }

  /** @param {Block} block @param {boolean} fold */
  function set(block, fold) {
    refold(() => folds.fold(block, fold), block.head);
    list.said(`${block.name || "block"} ${fold ? "folded" : "unfolded"}`);
  }

  return {
    know,
    forget() {
      known = false;
    },
    /** What stands before a line that heads a block. @param {number} line */
    mark(line) {
      const block = folds.headedBy(line);
      if (!block) return null;
      const folded = folds.isFolded(block);
      const name = block.name || `block at line ${block.first + 1}`;
      return h("button", { class: "xa-fold-mark", type: "button", tabindex: "-1", "aria-expanded": String(!folded), "aria-label": `${folded ? "Unfold" : "Fold"} ${name}`, title: folded ? "Unfold   →" : "Fold   ←" });
    },
    /** What stands behind a line that others are folded into. @param {number} line */
    summary(line) {
      const block = folds.foldedAt(line);
      return block && h("span", { class: "xa-folded", text: `  ⋯ ${summaryOf(list.text(), block)}` });
    },
    /** A line can be seen: nothing that it is in is folded. @param {number} line */
    openTo(line) {
      const settle = list.rows().arrange(-1);
      if (!folds.open(line)) return;
      settle();
      list.changed();
    },
    /** The block around the line; of one that is folded, the one around that. @returns {boolean} there was one */
    fold() {
      know();
      let block = folds.around(list.line());
      while (block && folds.isFolded(block)) block = folds.outerOf(block);
      if (block) set(block, true);
      return block !== null;
    },
    unfold() {
      const block = folds.foldedAt(list.line());
      if (block) set(block, false);
      return block !== null;
    },
    /** @param {number} line  where its mark was clicked */
    toggle(line) {
      const block = folds.headedBy(line);
      if (block) set(block, !folds.isFolded(block));
    },
    all() {
      know();
      if (!folds.any) return list.said("nothing to fold");
      const fold = !folds.allFolded;
      refold(() => folds.foldAll(fold), list.line());
      list.said(fold ? "all folded" : "all unfolded");
    },
  };
}
