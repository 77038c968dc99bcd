// @ts-check
/** One listing of any length. */

import { h, number, visible } from "./dom.js";
import { OPCODE, REGISTER, highlights, registerUses } from "./registers.js";
/** @import { Listing, Spans } from "./types.js" */

const ROW = 18; // pixels; `.xa-row` in the stylesheet has the same height
const SPARE = 20; // rows kept above and below what is seen
const MOST_SELECTED = 5000; // rows kept alive for a selection that reaches out of view

/**
 * A listing of any length: only the rows in view exist, and only those are coloured.
 *
 * @param {(start: number) => Promise<Spans>} colours
 * @param {{hover: (line: number|null) => void, select: (line: number) => void, help: (line: number, column: number, x: number, y: number, row: HTMLElement) => void, unhelp: () => void, find: () => void, said: (text: string) => void}} tell
 */
export function listingView(colours, tell) {
  const sizer = h("div", { class: "xa-sizer" });
  const view = h("div", { class: "xa-code", tabindex: "0", role: "region" }, sizer);
  const strip = h("div", { class: "xa-strip", "aria-hidden": "true" });
  const frame = h("div", { class: "xa-frame" }, view, strip);
  /** @type {string[]} */ let lines = [];
  /** @type {Listing|null} */ let listing = null;
  /** @type {Map<number, HTMLElement>} */ const rows = new Map();
  /** @type {Map<number, Spans|null>} null: on its way */ let chunks = new Map();
  let wanted = 0;
  let everything = false; // Ctrl+A was pressed: a copy takes the whole text
  let generation = 0;
  let current = -1; // the line that the keys are on
  /** @type {Set<number>} */ let lit = new Set();
  /** @type {Set<number>} */ let hovered = new Set();
  /** @type {number[]} */ let hits = [];
  let needle = "";
  /** @type {Set<number>|null} */ let only = null;
  /** @type {number|null} */ let register = null;
  /** @type {Map<string, number>|null} */ let labels = null;
  /** @type {number[]} */ let trail = [];
  /** @type {Map<string, any[]>} */ const ranges = new Map();

  /** @param {HTMLElement} row @param {number} index */
  function fill(row, index) {
    const text = lines[index];
    const chunk = listing ? Math.floor(index / listing.chunk) : 0;
    const spans = chunks.get(chunk);
    if (!spans) {
      row.textContent = visible(text);
      return;
    }
    const runs = spans.lines[index - spans.start] ?? [];
    const parts = [];
    let at = 0;
    for (let i = 0; i < runs.length; i += 2) {
      const part = visible(text.slice(at, at + runs[i]));
      const css = spans.classes[runs[i + 1]];
      parts.push(css ? h("span", { class: css, text: part }) : part);
      at += runs[i];
    }
    if (at < text.length) parts.push(visible(text.slice(at)));
    row.replaceChildren(...parts);
  }

  /** @param {HTMLElement} row @param {number} index */
  function mark(row, index) {
    row.classList.toggle("xa-current", index === current);
    row.classList.toggle("xa-lit", lit.has(index));
    row.classList.toggle("xa-hovered", hovered.has(index));
    row.classList.toggle("xa-dimmed", only !== null && !only.has(index));
  }

  /** A piece of a row's text as a range. @param {HTMLElement} row @param {number} start @param {number} end */
  function rangeIn(row, start, end) {
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

  function unmarkText() {
    for (const [name, own] of ranges) for (const range of own) highlights[name]?.delete(range);
    ranges.clear();
  }

  /** Marks inside the lines that are shown. */
  function markText() {
    unmarkText();
    if ((!needle && register === null) || !highlights.find) return;
    const put = (/** @type {string} */ name, /** @type {Range|null} */ range) => {
      if (!range) return;
      highlights[name].add(range);
      ranges.set(name, [...(ranges.get(name) ?? []), range]);
    };
    for (const [index, row] of rows) {
      if (needle) {
        const text = lines[index].toLowerCase();
        for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) put("find", rangeIn(row, at, at + needle.length));
      }
      if (register !== null && listing?.pcs[index] != null) {
        for (const use of registerUses(lines[index], register)) put(use.written ? "write" : "read", rangeIn(row, use.start, use.end));
      }
    }
  }

  /** Where hits and linked lines lie in the whole listing. */
  function drawStrip() {
    const height = view.clientHeight;
    if (!height || !lines.length) return strip.replaceChildren();
    /** @type {Map<number, string>} */ const marks = new Map();
    const at = (/** @type {number} */ index) => Math.round((index / lines.length) * (height - 3));
    for (const index of lit) marks.set(at(index), "xa-strip-lit");
    for (const index of hits) marks.set(at(index), "xa-strip-hit");
    strip.replaceChildren(
      ...[...marks].map(([top, css]) => {
        const one = h("i", { class: css });
        one.style.top = `${top}px`;
        return one;
      }),
    );
  }

  function remark() {
    for (const [index, row] of rows) mark(row, index);
  }

  /** @param {number} index */
  function gutter(index) {
    const pc = listing?.pcs[index];
    return `${index + 1}`.padStart(`${lines.length}`.length) + (listing?.pcs.length ? (pc == null ? "" : pc.toString(16)).padStart(7) : "");
  }

  /** The two ends of what is selected, as line and column, in the order of the text; null: nothing here. */
  function selectedEnds() {
    const selection = getSelection();
    if (!selection?.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!view.contains(range.commonAncestorContainer)) return null;
    /** @param {Node} node @param {number} offset */
    const end = (node, offset) => {
      if (node === sizer) {
        const row = /** @type {HTMLElement|undefined} */ (sizer.childNodes[offset]);
        return row ? { line: Number(row.dataset.index), column: 0 } : { line: Number(sizer.lastChild?.dataset.index ?? 0), column: Infinity };
      }
      const row = (node instanceof Element ? node : node.parentElement)?.closest(".xa-row");
      if (!(row instanceof HTMLElement)) return null;
      const before = document.createRange();
      before.setStart(row, 0);
      before.setEnd(node, offset);
      return { line: Number(row.dataset.index), column: before.toString().length };
    };
    const first = end(range.startContainer, range.startOffset);
    const last = end(range.endContainer, range.endOffset);
    return first && last && last.line - first.line <= MOST_SELECTED ? { first, last } : null;
  }

  function draw() {
    wanted = 0;
    let first = Math.max(0, Math.floor(view.scrollTop / ROW) - SPARE);
    let last = Math.min(lines.length - 1, Math.ceil((view.scrollTop + view.clientHeight) / ROW) + SPARE);
    const selected = selectedEnds();
    if (selected && selected.first.line - last < MOST_SELECTED && first - selected.last.line < MOST_SELECTED) {
      first = Math.min(first, selected.first.line);
      last = Math.max(last, selected.last.line);
    }
    for (const [index, row] of rows) {
      if (index < first || index > last) {
        row.remove();
        rows.delete(index);
      }
    }
    // In the order of the text, so that a selection and a copy run through rows as they read.
    let next = null;
    for (let index = last; index >= first; index--) {
      let row = rows.get(index);
      if (!row) {
        row = /** @type {HTMLElement} */ (h("div", { class: "xa-row", "data-index": index, "data-gutter": gutter(index) }));
        row.style.top = `${index * ROW}px`;
        fill(row, index);
        mark(row, index);
        rows.set(index, row);
        sizer.insertBefore(row, next);
      }
      next = row;
    }
    markText();
    askColours(first, last);
  }

  /** @param {number} first @param {number} last */
  function askColours(first, last) {
    if (!listing) return;
    for (let chunk = Math.floor(first / listing.chunk); chunk <= Math.floor(last / listing.chunk); chunk++) {
      if (chunks.has(chunk)) continue;
      chunks.set(chunk, null);
      const asked = generation;
      colours(chunk * listing.chunk).then(
        (spans) => {
          if (asked !== generation || !listing) return;
          chunks.set(chunk, spans);
          for (const [index, row] of rows) if (Math.floor(index / listing.chunk) === chunk) fill(row, index);
          markText();
        },
        () => {}, // the text is there; it stays plain
      );
    }
  }

  function schedule() {
    if (!wanted) wanted = requestAnimationFrame(draw);
  }

  /** Scrolls so that a line is seen, only as far as needed unless it was out of view. @param {number} index */
  function reveal(index) {
    const top = index * ROW;
    if (top < view.scrollTop + ROW || top > view.scrollTop + view.clientHeight - 3 * ROW) {
      view.scrollTop = Math.max(0, top - Math.floor(view.clientHeight / 3));
    }
  }

  /** @param {number} index */
  function goto(index) {
    if (!lines.length) return;
    current = Math.max(0, Math.min(lines.length - 1, index));
    const top = current * ROW;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight - ROW) view.scrollTop = top + 2 * ROW - view.clientHeight;
    remark();
    tell.select(current);
  }

  /** To the next hit of the search or the opcode filter. @param {1|-1} step */
  function nextHit(step) {
    if (!hits.length) return tell.said(needle ? "no match" : "");
    const from = current >= 0 ? current : Math.floor(view.scrollTop / ROW) - 1;
    let at = step > 0 ? hits.findIndex((index) => index > from) : hits.findLastIndex((index) => index < from);
    if (at < 0) at = step > 0 ? 0 : hits.length - 1;
    reveal(hits[at]);
    goto(hits[at]);
    tell.said(`${number.format(at + 1)} of ${number.format(hits.length)}`);
  }

  /** The label that a branch of this line goes to. @param {number} index */
  function target(index) {
    if (!labels) {
      labels = new Map();
      lines.forEach((line, at) => {
        const label = /^\s*([A-Za-z_.$][\w.$]*):\s*(?:\/\/.*)?$/.exec(line);
        if (label) /** @type {Map<string, number>} */ (labels).set(label[1], at);
      });
    }
    if (/^\s*([A-Za-z_.$][\w.$]*):\s*(?:\/\/.*)?$/.test(lines[index])) return null;
    for (const [word] of lines[index].matchAll(/[A-Za-z_.$][\w.$]*/g)) {
      const at = labels.get(word);
      if (at !== undefined) return at;
    }
    return null;
  }

  /** @param {number} index */
  function follow(index) {
    const at = target(index);
    if (at === null) return false;
    trail.push(index);
    reveal(at);
    goto(at);
    tell.said(`line ${at + 1}; Backspace goes back`);
    return true;
  }

  function back() {
    const at = trail.pop();
    if (at === undefined) return;
    reveal(at);
    goto(at);
  }

  /** The place in the text under the pointer. @param {MouseEvent} event */
  function placeAt(event) {
    const row = /** @type {Element} */ (event.target).closest?.(".xa-row");
    if (!(row instanceof HTMLElement)) return null;
    const line = Number(row.dataset.index);
    /** @type {any} */ const page = document;
    const caret = page.caretPositionFromPoint?.(event.clientX, event.clientY) ?? page.caretRangeFromPoint?.(event.clientX, event.clientY);
    const node = caret?.offsetNode ?? caret?.startContainer;
    if (!node || !row.contains(node)) return { line, column: -1, row };
    const before = document.createRange();
    before.setStart(row, 0);
    before.setEnd(node, caret.offset ?? caret.startOffset);
    return { line, column: before.toString().length, row };
  }

  view.addEventListener("scroll", schedule, { passive: true });
  const resized = new ResizeObserver(() => {
    schedule();
    drawStrip();
  });
  resized.observe(view);

  let over = -1;
  /** @type {any} */ let resting = 0;
  view.addEventListener("mousemove", (/** @type {MouseEvent} */ event) => {
    const row = /** @type {Element} */ (event.target).closest(".xa-row");
    const line = row instanceof HTMLElement ? Number(row.dataset.index) : -1;
    if (line !== over) {
      over = line;
      tell.hover(line < 0 ? null : line);
    }
    tell.unhelp();
    clearTimeout(resting);
    if (line >= 0 && !event.buttons) {
      resting = setTimeout(() => {
        const place = placeAt(event);
        if (place && place.column >= 0) tell.help(place.line, place.column, event.clientX, event.clientY, place.row);
      }, 350);
    }
  });
  view.addEventListener("mouseleave", () => {
    over = -1;
    clearTimeout(resting);
    tell.unhelp();
    tell.hover(null);
  });
  view.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const selection = getSelection();
    if (selection && !selection.isCollapsed) return; // text was selected, no line was chosen
    const place = placeAt(event);
    if (!place) return;
    const { line, column } = place;
    register = null;
    if (listing?.pcs[line] != null && column >= 0) {
      for (const use of lines[line].matchAll(REGISTER)) {
        if (/** @type {number} */ (use.index) <= column && column <= /** @type {number} */ (use.index) + use[0].length) register = Number(use[1]);
      }
    }
    if (register !== null) tell.said(`r${register}: writes and reads are marked`);
    markText();
    current = line;
    remark();
    tell.select(line);
  });
  view.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => {
    const place = placeAt(event);
    if (place && follow(place.line)) getSelection()?.removeAllRanges();
  });

  view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const page = Math.max(1, Math.floor(view.clientHeight / ROW) - 2);
    const here = current >= 0 ? current : Math.floor(view.scrollTop / ROW) - 1;
    tell.unhelp();
    if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      everything = true;
      getSelection()?.selectAllChildren(sizer);
    } else if (event.key === "Home" || (event.key === "g" && plain)) {
      view.scrollTop = 0;
      goto(0);
    } else if (event.key === "End" || (event.key === "G" && plain)) {
      goto(lines.length - 1);
      view.scrollTop = view.scrollHeight;
    } else if (event.key === "ArrowDown") goto(here + 1);
    else if (event.key === "ArrowUp") goto(here - 1);
    else if (event.key === "PageDown") goto(here + page);
    else if (event.key === "PageUp") goto(here - page);
    else if (event.key === "/" && plain) tell.find();
    else if (event.key === "n" && plain) nextHit(1);
    else if (event.key === "N" && plain) nextHit(-1);
    else if (event.key === "Enter" && current >= 0) follow(current);
    else if (event.key === "Backspace") back();
    else if (event.key === "h" && plain && current >= 0) {
      const row = rows.get(current);
      const column = OPCODE.exec(lines[current])?.[0].length ?? 0;
      const box = row?.getBoundingClientRect();
      if (row && box) tell.help(current, Math.max(0, column - 1), view.getBoundingClientRect().left + 80, box.bottom, row);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  view.addEventListener("pointerdown", () => {
    everything = false;
  });
  // From the text itself: as the compiler wrote it, with its line ends and without our gutter.
  view.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => {
    const ends = selectedEnds();
    if (!everything && !ends) return;
    let text = lines.join("\n");
    if (!everything && ends) {
      const { first, last } = ends;
      const part = lines.slice(first.line, last.line + 1);
      part[part.length - 1] = part[part.length - 1].slice(0, last.column);
      part[0] = part[0].slice(first.column);
      text = part.join("\n");
    }
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  });

  function forget() {
    generation++;
    unmarkText();
    rows.clear();
    chunks = new Map();
    lit = new Set();
    hovered = new Set();
    hits = [];
    only = register = labels = null;
    needle = "";
    trail = [];
    current = over = -1;
    everything = false;
    sizer.replaceChildren();
    strip.replaceChildren();
  }

  return {
    element: frame,
    /** @param {Listing} next @param {string[]} texts  its lines @param {string} label */
    show(next, texts, label) {
      forget();
      listing = next;
      lines = texts;
      sizer.style.height = `${lines.length * ROW}px`;
      const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
      sizer.style.setProperty("--xa-gutter", `${gutter(0).length + 2}ch`);
      sizer.style.minWidth = `calc(${Math.min(longest, 2000)}ch + var(--xa-gutter))`;
      view.setAttribute("aria-label", label);
      // A listing opens on its code: a header of hundreds of declarations comes before it.
      const code = next.pcs.findIndex((pc) => pc !== null);
      view.scrollTop = code > 40 ? (code - 3) * ROW : 0;
      view.scrollLeft = 0;
      draw();
    },
    clear() {
      forget();
      listing = null;
      lines = [];
      sizer.style.height = "0";
    },
    /** @param {number[]} found @param {boolean} firmly  by a click, not by hovering */
    light(found, firmly) {
      if (firmly) {
        lit = new Set(found);
        drawStrip();
      } else hovered = new Set(found);
      remark();
    },
    /** Brings linked lines into view, unless one of them is there. @param {number[]} found */
    bring(found) {
      if (!found.length) return;
      const seen = found.some((index) => index * ROW >= view.scrollTop && (index + 1) * ROW <= view.scrollTop + view.clientHeight);
      if (!seen) reveal(found[0]);
    },
    /** The listing from a line on. @param {number} index */
    openAt(index) {
      view.scrollTop = Math.max(0, index * ROW);
    },
    /** @param {string} text @returns {number} lines found */
    find(text) {
      needle = text.toLowerCase();
      hits = [];
      if (needle && !needle.includes("\n")) lines.forEach((line, index) => line.toLowerCase().includes(needle) && hits.push(index));
      markText();
      drawStrip();
      return hits.length;
    },
    nextHit,
    /** Instructions by name, with how many there are. @returns {[string, number][]} */
    opcodes() {
      /** @type {Map<string, number>} */ const found = new Map();
      lines.forEach((line, index) => {
        const name = listing?.pcs[index] != null ? OPCODE.exec(line)?.[1] : undefined;
        if (name) found.set(name, (found.get(name) ?? 0) + 1);
      });
      return [...found].sort((a, b) => a[0].localeCompare(b[0]));
    },
    /** @param {string} name  empty: all */
    filter(name) {
      only = null;
      hits = [];
      if (name) {
        lines.forEach((line, index) => listing?.pcs[index] != null && OPCODE.exec(line)?.[1] === name && hits.push(index));
        only = new Set(hits);
      }
      remark();
      drawStrip();
      if (hits.length) reveal(hits[0]);
      return hits.length;
    },
    /** @param {number} index */
    go(index) {
      reveal(index);
      goto(index);
    },
    get text() {
      return listing ? `${listing.text}\n` : "";
    },
    focus: () => view.focus(),
    destroy() {
      unmarkText();
      clearTimeout(resting);
      resized.disconnect();
      cancelAnimationFrame(wanted);
    },
  };
}
