// @ts-check
/** One listing of any length: its rows, what is marked in it, where the keys are. */

import { besideLines } from "./beside.js";
import { counted, h, number } from "./dom.js";
import { copiedLines, selectedText, unfoldedEnds } from "./copying.js";
import { listingFolding } from "./folding.js";
import { foldable } from "./folds.js";
import { jumps } from "./jumps.js";
import { listingKeys } from "./listingkeys.js";
import { listingPointer } from "./pointer.js";
import { registerBytes, registerOperands } from "./registers.js";
import { linesOfOpcode, opcodeCounts } from "./opcodes.js";
import { listingProfile } from "./profile.js";
import { ROW, listingRows } from "./rows.js";
import { listingSelection } from "./selection.js";
import { markStrip } from "./strip.js";
import { textMarks } from "./textmarks.js";
/** @import { Analysis, Listing, Spans } from "./types.js" */
/** @import { Block } from "./blocks.js" */
/** @import { Form } from "./copying.js" */

const NOTHING = /** @type {Listing} */ ({ text: "", chunk: 1, files: [], locs: [], calls: [], ids: [], pcs: [] });

/**
 * @typedef {object} Tell  what the listing says
 * @property {(line: number|null) => void} hover
 * @property {(line: number) => void} select
 * @property {(line: number, column: number, x: number, y: number) => void} help
 * @property {() => void} unhelp
 * @property {() => void} find  the reader wants to search
 * @property {(text: string) => void} said
 * @property {() => void} folded  other blocks are folded
 */

/** @param {(start: number) => Promise<Spans>} colours @param {Tell} tell */
export function listingView(colours, tell) {
  const sizer = h("div", { class: "xa-sizer" });
  const view = h("div", { class: "xa-code", tabindex: "0", role: "region" }, sizer);
  const strip = markStrip();
  const profile = listingProfile();
  const beside = besideLines();
  const frame = h("div", { class: "xa-frame" }, view, profile.element, strip.element);
  const folds = foldable();
  const marks = textMarks();
  const selection = listingSelection(view, sizer);
  let listing = NOTHING;
  let stage = "";
  /** @type {string[]} */ let lines = [];
  let current = -1; // the line that the keys are on
  /** @type {Set<number>} */ let lit = new Set();
  /** @type {Set<number>} */ let hovered = new Set();
  /** @type {number[]} */ let hits = [];
  let needle = "";
  /** @type {Set<number>|null} */ let only = null;
  /** @type {{number: number, bytes: number, coded: (line: number) => boolean}|null} */ let register = null;
  let paths = jumps("", []);

  const text = () => ({ stage, lines, pcs: listing.pcs });

  const folding = listingFolding(folds, {
    text,
    rows: () => rows,
    line: () => at.line,
    move(lineAt) {
      if (current >= 0) current = lineAt(folds.rowAt(current));
    },
    changed() {
      drawStrip();
      tell.folded();
    },
    said: tell.said,
  });

  const rows = listingRows(view, sizer, folds, colours, {
    selected: selection.ends,
    mark(row, line) {
      const block = folds.foldedAt(line);
      row.classList.toggle("xa-current", line === current);
      row.classList.toggle("xa-lit", has(lit, line, block));
      row.classList.toggle("xa-hovered", has(hovered, line, block));
      row.classList.toggle("xa-dimmed", only !== null && !has(only, line, block));
      beside.mark(row, line);
    },
    aside: folding.mark,
    beyond: folding.summary,
    drawn: () => marks.draw(rows.shown, lines, needle, register),
  });

  /** A line, or what is folded into it, is in a set. @param {Set<number>} set @param {number} line @param {Block|null} block */
  function has(set, line, block) {
    if (!block || !set.size) return set.has(line);
    if (block.last - block.first > set.size) return [...set].some((one) => block.first <= one && one <= block.last);
    for (let at = block.first; at <= block.last; at++) if (set.has(at)) return true;
    return false;
  }

  /** Where hits and linked lines lie in the whole listing. */
  function drawStrip() {
    profile.draw(view.clientHeight, folds, beside.figure);
    strip.draw(view.clientHeight, folds.count, [...["spill", "fill"].map((name) => /** @type {[string, number[]]} */ ([`xa-strip-${name}`, beside.signed(name).map(folds.rowAt)])), ["xa-strip-lit", [...lit].map(folds.rowAt)], ["xa-strip-hit", hits.map(folds.rowAt)]]);
  }

  /** Scrolls so that a line is seen, only as far as needed unless it was out of view. @param {number} line */
  function reveal(line) {
    folding.openTo(line);
    const top = folds.rowAt(line) * ROW;
    if (top < view.scrollTop + ROW || top > view.scrollTop + view.clientHeight - 3 * ROW) {
      view.scrollTop = Math.max(0, top - Math.floor(view.clientHeight / 3));
    }
  }

  /** @param {number} line */
  function goto(line) {
    if (!lines.length) return;
    current = Math.max(0, Math.min(lines.length - 1, line));
    folding.openTo(current);
    const top = folds.rowAt(current) * ROW;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight - ROW) view.scrollTop = top + 2 * ROW - view.clientHeight;
    rows.remark();
    tell.select(current);
  }

  /** @param {number} line */
  function go(line) {
    if (!Number.isInteger(line) || line < 0 || line >= lines.length) return; // no line of this listing
    reveal(line);
    goto(line);
  }

  /** The row that the keys are on, or the one above the first in view. */
  const row = () => (current >= 0 ? folds.rowAt(current) : Math.floor(view.scrollTop / ROW) - 1);

  const at = {
    get current() {
      return current;
    },
    get line() {
      return current >= 0 ? current : folds.lineAt(Math.max(0, row()));
    },
    get page() {
      return Math.max(1, Math.floor(view.clientHeight / ROW) - 2);
    },
    /** @param {number} rows  down */
    step(rows) {
      if (folds.count) goto(folds.lineAt(Math.max(0, Math.min(folds.count - 1, row() + rows))));
    },
    first() {
      view.scrollTop = 0;
      goto(folds.lineAt(0));
    },
    last() {
      if (folds.count) goto(folds.lineAt(folds.count - 1));
      view.scrollTop = view.scrollHeight;
    },
    /** To the next hit of the search or the opcode filter. @param {1|-1} step */
    nextHit(step) {
      if (!hits.length) return tell.said(needle ? "no match" : "");
      const from = current >= 0 ? current : at.line - 1;
      let found = step > 0 ? hits.findIndex((line) => line > from) : hits.findLastIndex((line) => line < from);
      if (found < 0) found = step > 0 ? 0 : hits.length - 1;
      go(hits[found]);
      tell.said(`${number.format(found + 1)} of ${number.format(hits.length)}`);
    },
    /** To where the branch of a line goes. @param {number} line */
    follow(line) {
      const target = paths.target(line);
      if (target === null) return false;
      paths.leave(line);
      go(target);
      tell.said(`line ${target + 1}; Backspace goes back`);
      return true;
    },
    back() {
      const line = paths.back();
      if (line !== null) go(line);
    },
    /** To the line with the largest figure. */
    peak() {
      const peak = beside.figure?.peak ?? null;
      if (peak === null) return false;
      go(peak);
      tell.said(beside.words(peak));
      return true;
    },
    /** To the next line with a sign beside it. @param {1|-1} step */
    nextSigned(step) {
      const line = beside.next(current >= 0 ? current : at.line - 1, step);
      if (line === null) return false;
      go(line);
      tell.said(beside.words(line));
      return true;
    },
    fold: folding.fold,
    unfold: folding.unfold,
    toggle: folding.toggle,
    foldAll: folding.all,
    /** By a click. @param {number} line @param {number} column */
    choose(line, column) {
      register = null;
      if (stage === "isa" && listing.pcs[line] != null && column >= 0) {
        const bytes = registerBytes(lines);
        const used = registerOperands(lines[line], bytes).find(({ start, end }) => start <= column && column <= end);
        if (used) {
          register = { number: used.first, bytes, coded: (index) => listing.pcs[index] != null };
          tell.said(`${used.count > 1 ? `r${used.first} of r${used.first}:${used.count}` : `r${used.first}`}: writes and reads are marked`);
        }
      }
      marks.draw(rows.shown, lines, needle, register);
      current = line;
      rows.remark();
      tell.select(line);
    },
    /** @param {number} line @returns {string} */
    text: (line) => lines[line],
    /** @param {number} line */
    box: (line) => rows.shown.get(line)?.getBoundingClientRect(),
  };

  listingKeys(view, at, selection, tell);
  const pointer = listingPointer(view, at, selection, tell);
  view.addEventListener("scroll", rows.schedule, { passive: true });
  const resized = new ResizeObserver(() => {
    rows.schedule();
    drawStrip();
  });
  resized.observe(view);
  // From the text itself: as the compiler wrote it, with its line ends and without our gutter.
  view.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => {
    const selected = selectedLines();
    if (!selection.everything && !selected) return;
    event.clipboardData?.setData("text/plain", selected && !selection.everything ? selectedText(lines, selected) : lines.join("\n"));
    event.preventDefault();
  });

  function selectedLines() {
    const ends = selection.ends();
    return ends && unfoldedEnds(ends, lines, folds.foldedAt);
  }

  function forget() {
    marks.clear();
    lit = new Set();
    hovered = new Set();
    hits = [];
    only = register = null;
    needle = "";
    current = -1;
    beside.set(null);
    frame.classList.remove("xa-beside");
    profile.draw(0, folds, null);
    selection.some();
    pointer.forget();
    folding.forget();
    strip.draw(0, 0, []);
  }

  return {
    element: frame,
    /** @param {string} name  of the stage @param {Listing} next @param {string[]} texts  its lines @param {string} label */
    show(name, next, texts, label) {
      forget();
      stage = name;
      listing = next;
      lines = texts;
      folds.reset(lines.length);
      paths = jumps(stage, lines);
      rows.set(next, lines);
      sizer.style.height = `${folds.count * ROW}px`;
      let longest = 0;
      for (const line of lines) longest = Math.max(longest, line.length);
      sizer.style.setProperty("--xa-gutter", `${rows.gutter(0).length + 4}ch`);
      sizer.style.minWidth = `calc(${Math.min(longest, 2000)}ch + var(--xa-gutter))`;
      view.setAttribute("aria-label", label);
      // A listing opens on its code: a header of hundreds of declarations comes before it.
      const code = next.pcs.findIndex((pc) => pc !== null);
      view.scrollTop = code > 40 ? (code - 3) * ROW : 0;
      view.scrollLeft = 0;
      rows.draw();
    },
    clear() {
      forget();
      listing = NOTHING;
      lines = [];
      folds.reset(0);
      rows.set(null, lines);
      sizer.style.height = "0";
    },
    /** @param {Analysis|null} analysis  what stands beside the lines */
    annotate(analysis) {
      if (!lines.length || !beside.set(analysis)) return;
      frame.classList.toggle("xa-beside", beside.width > 0);
      sizer.style.setProperty("--xa-gutter", `${rows.gutter(0).length + 4 + beside.width}ch`);
      rows.remark();
      drawStrip();
    },
    /** What stands beside a line, in words. @param {number} line */
    beside: (line) => beside.words(line),
    knowBlocks: folding.know,
    get foldable() {
      return folds.any;
    },
    get allFolded() {
      return folds.allFolded;
    },
    foldAll: folding.all,
    /** @param {number[]} found @param {boolean} firmly  by a click, not by hovering */
    light(found, firmly) {
      if (firmly) {
        lit = new Set(found);
        drawStrip();
      } else hovered = new Set(found);
      rows.remark();
    },
    /** Brings linked lines into view, unless one of them is there. @param {number[]} found */
    bring(found) {
      if (!found.length) return;
      const seen = found.some((line) => {
        const top = folds.rowAt(line) * ROW;
        return folds.lineAt(folds.rowAt(line)) === line && top >= view.scrollTop && top + ROW <= view.scrollTop + view.clientHeight;
      });
      if (!seen) reveal(found[0]);
    },
    /** The listing from a line on. @param {number} line */
    openAt(line) {
      view.scrollTop = Math.max(0, folds.rowAt(line) * ROW);
    },
    /** @param {string} text @returns {number} lines found */
    find(text) {
      needle = text.toLowerCase();
      hits = [];
      if (needle && !needle.includes("\n")) lines.forEach((line, index) => line.toLowerCase().includes(needle) && hits.push(index));
      marks.draw(rows.shown, lines, needle, register);
      drawStrip();
      return hits.length;
    },
    nextHit: at.nextHit,
    /** Instructions by name, with how many there are. */
    opcodes: () => opcodeCounts(stage, lines, listing.pcs),
    /** @param {string} name  empty: all */
    filter(name) {
      only = null;
      hits = [];
      if (name) {
        hits = linesOfOpcode(name, stage, lines, listing.pcs);
        only = new Set(hits);
      }
      rows.remark();
      drawStrip();
      if (hits.length) reveal(hits[0]);
      return hits.length;
    },
    go,
    get text() {
      return lines.length ? `${listing.text}\n` : "";
    },
    /** What is selected, else all. @param {Form} form @returns {{text: string, said: string}} */
    copied(form) {
      const selected = selectedLines();
      const [first, last] = selected && !selection.everything ? [selected.first.line, selected.last.line] : [0, lines.length - 1];
      const found = copiedLines(form, { ...text(), gutter: rows.gutter }, first, last);
      return { text: found.join("\n") + "\n", said: `${counted(found.length, "line")} copied` };
    },
    focus: () => view.focus(),
    destroy() {
      marks.clear();
      pointer.forget();
      resized.disconnect();
      rows.destroy();
    },
  };
}
