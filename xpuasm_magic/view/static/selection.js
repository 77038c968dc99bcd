// @ts-check
/** What of a listing is selected, as places in its text. */

import { columnOf, lineOfRow, rowOfNode } from "./positions.js";

/** @typedef {{line: number, column: number}} End */

/** @param {HTMLElement} view @param {HTMLElement} sizer  holds the rows */
export function listingSelection(view, sizer) {
  let everything = false; // Ctrl+A was pressed: the whole text, of which few rows exist

  /** @param {Node} node @param {number} offset @returns {End|null} */
  function end(node, offset) {
    if (node === sizer) {
      const row = /** @type {HTMLElement|undefined} */ (sizer.childNodes[offset]);
      if (row) return { line: lineOfRow(row), column: 0 };
      const last = /** @type {HTMLElement|null} */ (sizer.lastChild);
      return { line: last ? lineOfRow(last) : 0, column: Infinity };
    }
    const row = rowOfNode(node);
    return row && { line: lineOfRow(row), column: columnOf(row, node, offset) };
  }

  return {
    /** The two ends in the order of the text; null: nothing is selected here. @returns {{first: End, last: End}|null} */
    ends() {
      const selection = getSelection();
      if (!selection?.rangeCount || selection.isCollapsed) return null;
      const range = selection.getRangeAt(0);
      if (!view.contains(range.commonAncestorContainer)) return null;
      const first = end(range.startContainer, range.startOffset);
      const last = end(range.endContainer, range.endOffset);
      return first && last ? { first, last } : null;
    },
    get everything() {
      return everything;
    },
    all() {
      everything = true;
      getSelection()?.selectAllChildren(sizer);
    },
    some() {
      everything = false;
    },
  };
}
