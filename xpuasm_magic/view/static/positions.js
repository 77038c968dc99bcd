// @ts-check
/** Places in the text of a row: what stands beside it (gutter, fold) does not count. */

/** A piece of a row's text as a range. @param {HTMLElement} row @param {number} start @param {number} end */
export function rangeIn(row, start, end) {
  const range = document.createRange();
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let at = 0;
  let open = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (!open && start < at + length) {
      range.setStart(node, start - at);
      open = true;
    }
    if (open && end <= at + length) {
      range.setEnd(node, end - at);
      return range;
    }
    at += length;
  }
  return null;
}

/** How much of a row's text comes before a node's offset. @param {HTMLElement} row @param {Node} node @param {number} offset */
export function columnOf(row, node, offset) {
  const before = document.createRange();
  before.setStart(row, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

/** The row that an element or a text is in. @param {any} node @returns {HTMLElement|null} */
export const rowOfNode = (node) => (node instanceof Element ? node : node?.parentElement)?.closest(".xa-row") ?? null;

/** @param {HTMLElement} row */
export const lineOfRow = (row) => Number(row.dataset.index);

/** The place in the text under the pointer; column -1: beside the text. @param {MouseEvent} event */
export function placeAt(event) {
  const row = rowOfNode(event.target);
  if (!row) return null;
  const line = lineOfRow(row);
  /** @type {any} */ const page = document;
  const caret = page.caretPositionFromPoint?.(event.clientX, event.clientY) ?? page.caretRangeFromPoint?.(event.clientX, event.clientY);
  const node = caret?.offsetNode ?? caret?.startContainer;
  if (!node || !row.contains(node)) return { line, column: -1 };
  return { line, column: columnOf(row, node, caret.offset ?? caret.startOffset) };
}
