// @ts-check
/** The rows of a listing that are in view: only they exist, and only they are coloured. */

import { h, visible } from "./dom.js";
/** @import { Listing, Spans } from "./types.js" */

export const ROW = 18; // pixels; `.xa-row` in the stylesheet has the same height
const SPARE = 16; // rows kept above and below what is seen
const MOST_SELECTED = 5000; // rows kept alive for a selection that reaches out of view

/**
 * @param {HTMLElement} view  scrolls
 * @param {HTMLElement} sizer  as high as all rows
 * @param {ReturnType<typeof foldable>} folds
 * @param {(start: number) => Promise<Spans>} colours
 * @param {{selected: () => {first: {line: number}, last: {line: number}}|null, mark: (row: HTMLElement, line: number) => void, aside: (line: number) => Node|null, beyond: (line: number) => Node|null, drawn: () => void}} on
 */
export function listingRows(view, sizer, folds, colours, on) {
  /** @type {string[]} */ let lines = [];
  /** @type {Listing|null} */ let listing = null;
  /** @type {Map<number, HTMLElement>} by line */ const rows = new Map();
  /** @type {Map<number, Spans|null>} null: on its way */ let chunks = new Map();
  let wanted = 0;
  let generation = 0;

  /** @param {HTMLElement} row @param {number} index */
  function fill(row, index) {
    const text = visible(lines[index]);
    const spans = listing ? chunks.get(Math.floor(index / listing.chunk)) : null;
    const runs = spans ? spans.lines[index - spans.start] ?? [] : [];
    /** @type {(Node|string)[]} */ const parts = [];
    const aside = on.aside(index);
    if (aside) parts.push(aside);
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      const part = text.slice(at, (at += runs[i]));
      const css = /** @type {Spans} */ (spans).classes[runs[i + 1]];
      if (css) {
        const span = document.createElement("span");
        span.className = css;
        span.textContent = part;
        parts.push(span);
      } else parts.push(part);
    }
    if (at < text.length) parts.push(text.slice(at));
    const beyond = on.beyond(index);
    if (beyond) parts.push(beyond);
    row.replaceChildren(...parts);
  }

  /** @param {number} index */
  function gutter(index) {
    const pc = listing?.pcs[index];
    return `${index + 1}`.padStart(`${lines.length}`.length) + (listing?.pcs.length ? (pc == null ? "" : pc.toString(16)).padStart(7) : "");
  }

  function draw() {
    wanted = 0;
    let first = Math.max(0, Math.floor(view.scrollTop / ROW) - SPARE);
    let last = Math.min(folds.count - 1, Math.ceil((view.scrollTop + view.clientHeight) / ROW) + SPARE);
    const selected = on.selected();
    if (selected) {
      const [from, to] = [folds.rowAt(selected.first.line), folds.rowAt(selected.last.line)];
      if (to - from <= MOST_SELECTED && from - last < MOST_SELECTED && first - to < MOST_SELECTED) {
        first = Math.min(first, from);
        last = Math.max(last, to);
      }
    }
    for (const [line, row] of rows) {
      const at = folds.rowAt(line);
      if (at < first || at > last) {
        row.remove();
        rows.delete(line);
      }
    }
    // In the order of the text, so that a selection and a copy run through rows as they read.
    let next = null;
    for (let at = last; at >= first; at--) {
      const line = folds.lineAt(at);
      let row = rows.get(line);
      if (!row) {
        row = /** @type {HTMLElement} */ (h("div", { class: "xa-row", "data-index": line, "data-gutter": gutter(line) }));
        row.style.top = `${at * ROW}px`;
        fill(row, line);
        on.mark(row, line);
        rows.set(line, row);
        sizer.insertBefore(row, next);
      }
      next = row;
    }
    on.drawn();
    if (last >= first) askColours(folds.lineAt(first), folds.lineAt(last));
  }

  /** For the lines that are shown between two. @param {number} first @param {number} last */
  function askColours(first, last) {
    if (!listing) return;
    const { chunk: size } = listing;
    const needed = new Set();
    for (const line of rows.keys()) if (line >= first && line <= last) needed.add(Math.floor(line / size));
    for (const chunk of needed) {
      if (chunks.has(chunk)) continue;
      chunks.set(chunk, null);
      const asked = generation;
      colours(chunk * size).then(
        (spans) => {
          if (asked !== generation) return;
          chunks.set(chunk, spans);
          for (const [line, row] of rows) if (Math.floor(line / size) === chunk) fill(row, line);
          on.drawn();
        },
        () => {}, // the text is there; it stays plain
      );
    }
  }

  function clear() {
    rows.clear();
    sizer.replaceChildren();
  }

  return {
    /** By line. */
    shown: rows,
    gutter,
    /** @param {Listing|null} next @param {string[]} texts  its lines */
    set(next, texts) {
      generation++;
      chunks = new Map();
      clear();
      listing = next;
      lines = texts;
    },
    /** Other lines are folded, or can be. A line stays where it is on the screen. @param {number} anchor  that line; -1: the first in view */
    arrange(anchor) {
      const line = anchor >= 0 ? anchor : lineAtTop();
      const below = folds.rowAt(line) * ROW;
      return () => {
        const shift = view.scrollTop - below;
        clear();
        sizer.style.height = `${folds.count * ROW}px`;
        view.scrollTop = Math.max(0, folds.rowAt(line) * ROW + shift);
        draw();
      };
    },
    draw,
    schedule() {
      if (!wanted) wanted = requestAnimationFrame(draw);
    },
    remark() {
      for (const [line, row] of rows) on.mark(row, line);
    },
    refill() {
      for (const [line, row] of rows) fill(row, line);
      on.drawn();
    },
    destroy: () => cancelAnimationFrame(wanted),
  };

  function lineAtTop() {
    return folds.count ? folds.lineAt(Math.min(folds.count - 1, Math.floor(view.scrollTop / ROW))) : 0;
  }
}
