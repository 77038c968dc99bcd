// @ts-check
/** The pointer in a listing: lines under it, help where it rests, clicks. */

import { placeAt, rowOfNode, lineOfRow } from "./positions.js";

const REST = 350; // milliseconds

/** @param {HTMLElement} view @param {any} at  the listing's moves @param {ReturnType<typeof listingSelection>} selection @param {import("./listing.js").Tell} tell */
export function listingPointer(view, at, selection, tell) {
  let over = -1;
  /** @type {any} */ let resting = 0;
  const foldMark = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest(".xa-fold-mark, .xa-folded");

  view.addEventListener("mousemove", (/** @type {MouseEvent} */ event) => {
    const row = rowOfNode(event.target);
    const line = row ? lineOfRow(row) : -1;
    if (line !== over) {
      over = line;
      tell.hover(line < 0 ? null : line);
    }
    tell.unhelp();
    clearTimeout(resting);
    if (line >= 0 && !event.buttons) {
      resting = setTimeout(() => {
        const place = placeAt(event);
        if (place && place.column >= 0) tell.help(place.line, place.column, event.clientX, event.clientY);
      }, REST);
    }
  });
  view.addEventListener("mouseleave", () => {
    over = -1;
    clearTimeout(resting);
    tell.unhelp();
    tell.hover(null);
  });
  view.addEventListener("pointerdown", selection.some);
  // The keys stay with the listing.
  view.addEventListener("mousedown", (/** @type {MouseEvent} */ event) => {
    if (!foldMark(event)) return;
    event.preventDefault();
    view.focus({ preventScroll: true });
  });
  view.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const row = rowOfNode(event.target);
    if (row && foldMark(event)) return at.toggle(lineOfRow(row));
    const selected = getSelection();
    if (selected && !selected.isCollapsed) return; // text was selected, no line was chosen
    const place = placeAt(event);
    if (place) at.choose(place.line, place.column);
  });
  view.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => {
    const place = foldMark(event) ? null : placeAt(event);
    if (place && at.follow(place.line)) getSelection()?.removeAllRanges();
  });

  return {
    forget() {
      over = -1;
      clearTimeout(resting);
    },
  };
}
