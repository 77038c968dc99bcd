// @ts-check
/**
 * The browser of a capture: kernels, their numbers, their machine code.
 *
 * One module for notebooks (anywidget calls `render`) and for the report page (`openReport`). Both give the
 * same `show()` a host, which knows where data come from. Text of a capture reaches the page through
 * `textContent` only. The shapes below are those of `payload.py`.
 *
 * @typedef {"info"|"warning"|"error"} Severity
 * @typedef {{severity: Severity, message: string, path: string|null}} Note
 * @typedef {{name: string, title: string, tooltip: string, numeric: boolean, primary: boolean}} Column
 * @typedef {{name: string, title: string, suffix: string}} Stage
 * @typedef {{label: string, reason: string, status: string, simd: number|null, grf: number|null,
 *            spill_bytes: number|null, launched: boolean, stages: Stage[]}} Attempt
 * @typedef {boolean|number|string|null} Cell
 * @typedef {{id: string, family: string, folded: boolean, cells: Cell[], stages: Stage[], attempts: Attempt[], notes: Note[],
 *            error: string|null, repro: string|null}} Kernel
 * @typedef {{title: string, state: string|null, verdict: string, folder: string, columns: Column[],
 *            families: {name: string, title: string}[], kernels: Kernel[], notes: Note[],
 *            fidelity: string[], versions: Record<string, string>}} Capture
 * @typedef {{text: string, chunk: number, files: string[], locs: number[][], calls: number[][], ids: number[][],
 *            pcs: (number|null)[]}} Listing
 * @typedef {{start: number, classes: string[], lines: number[][]}} Spans
 * @typedef {{kernel: string, attempt: number|null, stage: string}} Place
 *
 * @typedef {object} Host
 * @property {() => Capture} capture
 * @property {(listener: () => void) => () => void} onCapture  tells of a newer capture; returns how to stop
 * @property {(kind: "listing"|"spans"|"help", params: object) => Promise<any>} request
 * @property {(id: string) => void} selected  the reader chose a kernel
 * @property {boolean} allConfigs  configs that lost an autotuning are shown at first
 * @property {"notebook"|"page"} kind
 */

// ---------------------------------------------------------------------------------------------- small things

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]  `class`, `text`, `on` (listeners), else attributes; null: left out
 * @param {(Node|string|null)[]} children
 * @returns {any}
 */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const number = new Intl.NumberFormat("en-US");

/** @param {Cell} cell */
function cellText(cell) {
  if (cell === null) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return typeof cell === "number" ? number.format(cell) : cell;
}

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;

// Characters that change the order or the look of others (bidirectional controls, C0): shown, never obeyed.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** @param {string} text */
const visible = (text) => text.replace(CONTROLS, "␦");

/** @param {string} text @param {string} name */
function save(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No permission, or no secure context: the older way.
    const area = h("textarea", { class: "xa-offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Says on the button itself that it has done its work. @param {HTMLButtonElement} button @param {string} said */
function acknowledge(button, said) {
  const text = button.textContent;
  button.textContent = said;
  button.disabled = true;
  setTimeout(() => {
    button.textContent = text;
    button.disabled = false;
  }, 1200);
}

// ------------------------------------------------------------------------------------------------- the theme

/** Jupyter, VS Code and Colab each say it in their own way; else the ground that is really there decides. */
function darkTheme() {
  const { body, documentElement } = document;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "false";
  if (/\bvscode-(dark|high-contrast)\b(?!-light)/.test(body.className)) return true;
  if (/\bvscode-light\b/.test(body.className)) return false;
  const colab = documentElement.getAttribute("theme");
  if (colab) return colab === "dark";
  const ground = getComputedStyle(body).backgroundColor.match(/[\d.]+/g)?.map(Number);
  if (ground && (ground.length < 4 || ground[3] > 0)) return ground[0] + ground[1] + ground[2] < 384;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {HTMLElement} root @returns {() => void} */
function followTheme(root) {
  const apply = () => {
    root.dataset.theme = darkTheme() ? "dark" : "light";
  };
  const observer = new MutationObserver(apply);
  for (const element of [document.body, document.documentElement]) {
    observer.observe(element, { attributes: true, attributeFilter: ["class", "theme", "data-jp-theme-light"] });
  }
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", apply);
  apply();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", apply);
  };
}

// -------------------------------------------------------------------------------------------- the lines' links

/**
 * A listing with what ties its lines to other stages' lines, indexed when first asked for.
 *
 * @param {Listing} listing
 */
function linkable(listing) {
  const lines = listing.text.split("\n");
  /** @type {(string|null)[]} per line `file:line`; null: not known */ let places = [];
  /** @param {number[][]} runs  where it changes */
  const spread = (runs) => {
    /** @type {(string|null)[]} */ const found = [];
    let run = 0;
    for (let index = 0; index < lines.length; index++) {
      while (run < runs.length && runs[run][0] <= index) run++;
      const loc = runs[run - 1];
      found.push(loc && loc[1] >= 0 ? `${listing.files[loc[1]]}:${loc[2]}` : null);
    }
    return found;
  };
  places = spread(listing.locs);
  const calls = listing.calls.length ? spread(listing.calls) : [];
  /** @type {Map<string, number[]>|null} */ let byPlace = null;
  /** @type {Map<number, number[]>|null} */ let byId = null;

  /** @template K @param {Map<K, number[]>} map @param {K} key @param {number} index */
  const add = (map, key, index) => {
    const have = map.get(key);
    if (have) have.push(index);
    else map.set(key, [index]);
  };
  const ids = () => {
    if (!byId) {
      byId = new Map();
      for (let index = 0; index < listing.ids.length; index++) for (const id of listing.ids[index]) add(byId, id, index);
    }
    return byId;
  };
  const known = () => {
    if (!byPlace) {
      byPlace = new Map();
      for (let index = 0; index < places.length; index++) {
        const place = places[index];
        if (place !== null) add(byPlace, place, index);
        const call = calls[index] ?? null;
        if (call !== null && call !== place) add(byPlace, call, index);
      }
    }
    return byPlace;
  };
  return {
    listing,
    lines,
    /** @param {number} index */
    place: (index) => places[index] ?? null,
    /** Where the function that the line is in was called from the kernel. @param {number} index */
    call: (index) => calls[index] ?? null,
    /** @param {number} index */
    ids: (index) => listing.ids[index] ?? [],
    get numbered() {
      return listing.ids.length > 0;
    },
    get located() {
      return listing.locs.length > 0;
    },
    /** @param {Iterable<number>} wanted @returns {number[]} */
    withIds(wanted) {
      const found = new Set();
      for (const id of wanted) for (const index of ids().get(id) ?? []) found.add(index);
      return [...found].sort((a, b) => a - b);
    },
    /** @param {string} place @returns {number[]} */
    withPlace: (place) => known().get(place) ?? [],
    /** Source lines by vISA number, for a stage that has numbers only. @param {Linkable} other */
    borrow(other) {
      places = lines.map((_, index) => {
        for (const id of listing.ids[index] ?? []) {
          for (const at of other.withIds([id])) if (other.place(at) !== null) return other.place(at);
        }
        return null;
      });
      byPlace = null;
    },
  };
}

/** @typedef {ReturnType<typeof linkable>} Linkable */

/**
 * The lines of `to` that belong to a line of `from`: by vISA number where both have them, else by source line.
 *
 * @param {Linkable} from @param {number} index @param {Linkable} to
 */
function linkedLines(from, index, to) {
  const numbers = from.ids(index);
  if (numbers.length && to.numbered) {
    const found = to.withIds(numbers);
    if (found.length) return found;
  }
  const place = from.place(index);
  const found = place === null ? [] : to.withPlace(place);
  // The kernel's own source knows an inlined function by its call only.
  const call = found.length ? null : from.call(index);
  return call === null ? found : to.withPlace(call);
}

// -------------------------------------------------------------------------------------------------- registers

// Marks inside a line are ranges, no elements: the text and its colours stay as they are.
const MARKED = /** @type {const} */ (["find", "read", "write"]);
/** @type {Record<string, any>} */ const highlights = {};
if (typeof Highlight === "function" && CSS.highlights) {
  for (const name of MARKED) {
    highlights[name] = new Highlight();
    CSS.highlights.set(`xa-${name}`, highlights[name]);
  }
}

// r12   r10.0<1>:f   r127:1 (a payload of one register)
const REGISTER = /\br(\d+)(?::(\d+)(?![\w]))?/g;
// What comes before the operands: (W&f0.0)  mad (16|M0)
const BEFORE_OPERANDS = /^\s*(?:\([^)]*\)\s*)?[a-z][\w.]*\s*(?:\(\d+\|M\d+\)\s*)?(?:\([a-z]+\)f\d\.\d\s*)?/;
const OPCODE = /^\s*(?:\([^)]*\)\s*)*([a-z]\w*)/;

/** Where a register is written and read in a line of ISA. @param {string} text @param {number} register */
function registerUses(text, register) {
  const end = text.search(/\{|\/\/|$/);
  const operands = BEFORE_OPERANDS.exec(text)?.[0].length ?? 0;
  /** @type {{start: number, end: number, written: boolean}[]} */ const found = [];
  for (const use of text.slice(0, end).matchAll(REGISTER)) {
    const first = Number(use[1]);
    const start = /** @type {number} */ (use.index);
    if (start < operands || register < first || register >= first + Number(use[2] ?? 1)) continue;
    found.push({ start, end: start + use[0].length, written: start === operands });
  }
  return found;
}

// ----------------------------------------------------------------------------------------------- the listing

const ROW = 18; // pixels; `.xa-row` in the stylesheet has the same height
const SPARE = 20; // rows kept above and below what is seen
const MOST_SELECTED = 5000; // rows kept alive for a selection that reaches out of view

/**
 * A listing of any length: only the rows in view exist, and only those are coloured.
 *
 * @param {(start: number) => Promise<Spans>} colours
 * @param {{hover: (line: number|null) => void, select: (line: number) => void, help: (line: number, column: number, x: number, y: number, row: HTMLElement) => void, unhelp: () => void, find: () => void, said: (text: string) => void}} tell
 */
function listingView(colours, tell) {
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

// ------------------------------------------------------------------------------------------------------ notes

const MARKS = { info: "i", warning: "!", error: "×" };

/** @param {Note[]} notes @param {number} most  how many are open at once */
function notesView(notes, most) {
  const rank = { error: 0, warning: 1, info: 2 };
  const sorted = [...notes].sort((a, b) => rank[a.severity] - rank[b.severity]);
  const item = (/** @type {Note} */ note) =>
    h(
      "li",
      { class: `xa-note xa-${note.severity}` },
      h("span", { class: "xa-mark", "aria-label": note.severity, text: MARKS[note.severity] ?? "i" }),
      h("span", { class: "xa-note-text" }, visible(note.message), note.path ? h("code", { text: ` ${visible(note.path)}` }) : null),
    );
  const box = h("div", { class: "xa-notes", role: "status" }, h("ul", {}, ...sorted.slice(0, most).map(item)));
  if (sorted.length > most) {
    box.append(
      h("details", {}, h("summary", { text: `${counted(sorted.length - most, "more note")}` }), h("ul", {}, ...sorted.slice(most).map(item))),
    );
  }
  box.hidden = notes.length === 0;
  return box;
}

// ---------------------------------------------------------------------------------------- the kernels' table

const BADGES = {
  pointwise: "poi", persistent_reduction: "per", reduction: "red", template: "tem",
  foreach: "for", user: "usr", sycl: "sycl", other: "oth",
};

/**
 * The list of kernels and their numbers in one: by family, or sorted by a column.
 *
 * @param {(id: string) => void} choose
 * @param {() => void} enter  the reader wants the code of the chosen kernel
 * @param {boolean} allConfigs
 */
function kernelTable(choose, enter, allConfigs) {
  const filter = h("input", {
    class: "xa-filter", type: "search", placeholder: "Filter kernels   /", "aria-label": "Filter kernels", spellcheck: "false",
  });
  const count = h("span", { class: "xa-count", "aria-live": "polite" });
  const all = h("button", { class: "xa-button", type: "button", "aria-pressed": "false", text: "All columns" });
  const configs = h("button", { class: "xa-button", type: "button", "aria-pressed": String(allConfigs), text: "All configs" });
  const head = h("thead");
  const body = h("tbody");
  const table = h("table", { class: "xa-table", "aria-label": "Kernels" }, head, body);
  const box = h("div", { class: "xa-grid" }, table);
  const csv = h("button", { class: "xa-button", type: "button", text: "Copy CSV", title: "The kernels and columns that are shown" });
  const tools = h("div", { class: "xa-tools" }, filter, count, h("span", { class: "xa-space" }), csv, configs, all);

  /** @type {Capture} */ let capture;
  /** @type {{column: string, down: boolean}|null} */ let sort = null;
  let everyColumn = false;
  /** @type {string|null} */ let chosen = null;

  /** @param {Kernel} kernel @param {string} name */
  const value = (kernel, name) => kernel.cells[capture.columns.findIndex((column) => column.name === name)] ?? null;

  function shownColumns() {
    return capture.columns.filter((column) => column.name !== "family" && (everyColumn || column.primary));
  }

  function shownKernels() {
    /** @type {string[]} */ const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const titles = Object.fromEntries(capture.families.map((family) => [family.name, family.title]));
    const found = capture.kernels.filter((kernel) => {
      if (kernel.folded && !allConfigs) return false;
      const told = ["name", "config", "status", "key"].map((name) => value(kernel, name) ?? "");
      const text = [...told, kernel.family, titles[kernel.family] ?? ""].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (!sort) {
      const order = capture.families.map((family) => family.name);
      return found.map((kernel, index) => ({ kernel, index })).sort((a, b) => order.indexOf(a.kernel.family) - order.indexOf(b.kernel.family) || a.index - b.index).map(({ kernel }) => kernel);
    }
    const { column, down } = sort;
    return [...found].sort((a, b) => compare(value(a, column), value(b, column), down));
  }

  /** @param {Column} column */
  function header(column) {
    const state = sort?.column === column.name ? (sort.down ? "descending" : "ascending") : "none";
    const button = h("button", {
      type: "button", class: "xa-sort", title: column.tooltip,
      on: {
        click: () => {
          // Numbers are sorted to find the worst first; a third click goes back to families.
          const down = sort?.column === column.name ? !sort.down : column.numeric;
          sort = sort?.column === column.name && sort.down !== column.numeric ? null : { column: column.name, down };
          draw();
          body.closest(".xa-grid").querySelector(`th[data-column="${column.name}"] button`)?.focus();
        },
      },
    }, column.title, h("span", { class: "xa-arrow", "aria-hidden": "true", text: state === "none" ? "" : state === "descending" ? "▾" : "▴" }));
    return h("th", { scope: "col", "aria-sort": state, "data-column": column.name, class: column.numeric ? "xa-number" : null }, button);
  }

  /** Settings that every kernel has alike: they tell none apart. */
  function commonSettings() {
    const all = capture.kernels.map((kernel) => String(value(kernel, "config") ?? "").split(" ").filter(Boolean)).filter((settings) => settings.length);
    return all.length > 1 ? all[0].filter((setting) => all.every((settings) => settings.includes(setting))) : [];
  }

  /** @param {Kernel} kernel @param {Column} column @param {string[]} common */
  function cell(kernel, column, common) {
    const raw = value(kernel, column.name);
    const whole = visible(cellText(raw));
    const text = column.name === "config" && raw !== null ? whole.split(" ").filter((setting) => !common.includes(setting)).join(" ") : whole;
    if (column.name === "name") {
      const status = value(kernel, "status");
      const flag = status !== "ok" && status !== null ? "error" : kernel.notes.find((note) => note.severity === "error") ? "error" : kernel.notes.find((note) => note.severity === "warning") ? "warning" : null;
      const told = flag ? [status !== "ok" ? String(status) : null, ...kernel.notes.map((note) => note.message)].filter(Boolean).join("\n") : "";
      // The end of a long name tells kernels apart, so the middle gives way.
      const cut = Math.max(0, text.length - 8);
      return h(
        "th", { scope: "row", class: "xa-name", title: text },
        h("span", { class: "xa-inner" },
          h("span", { class: `xa-badge xa-${kernel.family}`, "aria-hidden": "true", text: BADGES[/** @type {keyof typeof BADGES} */ (kernel.family)] ?? "oth" }),
          h("span", { class: "xa-label" }, h("span", { class: "xa-start", text: text.slice(0, cut) }), h("span", { class: "xa-end", text: text.slice(cut) })),
          flag ? h("span", { class: `xa-mark xa-${flag}`, title: told, "aria-label": `${flag}: ${told}`, text: MARKS[flag] }) : null),
      );
    }
    const classes = [column.numeric ? "xa-number" : null, raw === null ? "xa-missing" : null, raw === 0 ? "xa-zero" : null];
    if (/^spill_/.test(column.name) && typeof raw === "number" && raw > 0) classes.push("xa-bad");
    if (column.name === "status" && raw !== "ok") classes.push("xa-bad");
    if (column.name === "match" && (raw === "ambiguous" || raw === "none" || raw === "name")) classes.push("xa-doubt");
    if (column.name === "config") classes.push("xa-config");
    return h("td", { class: classes.filter(Boolean).join(" ") || null, title: column.name === "config" ? whole : raw === null ? "not known" : null, text });
  }

  function draw() {
    const columns = shownColumns();
    const kernels = shownKernels();
    const common = commonSettings();
    head.replaceChildren(h("tr", {}, ...columns.map(header)));
    const rows = [];
    let family = "";
    for (const kernel of kernels) {
      if (!sort && kernel.family !== family) {
        family = kernel.family;
        const title = capture.families.find((other) => other.name === family)?.title ?? family;
        const many = kernels.filter((other) => other.family === family).length;
        rows.push(h("tr", { class: "xa-family" }, h("th", { colspan: columns.length, scope: "rowgroup" }, h("span", { class: "xa-family-title" }, title, h("span", { class: "xa-family-count", text: String(many) })))));
      }
      rows.push(h("tr", { class: "xa-kernel", "data-id": kernel.id, tabindex: "-1" }, ...columns.map((column) => cell(kernel, column, common))));
    }
    if (!kernels.length) {
      const empty = capture.kernels.length ? "No kernel answers to this filter." : capture.state === "running" ? "No kernel yet." : "No kernel in this capture.";
      rows.push(h("tr", {}, h("td", { class: "xa-empty", colspan: columns.length || 1, text: empty })));
    }
    body.replaceChildren(...rows);
    count.textContent = kernels.length === capture.kernels.length ? counted(kernels.length, "kernel") : `${kernels.length} of ${counted(capture.kernels.length, "kernel")}`;
    configs.hidden = !capture.kernels.some((kernel) => kernel.folded);
    all.hidden = capture.columns.every((column) => column.primary);
    mark();
  }

  function mark() {
    const rows = kernelRows();
    for (const row of rows) {
      const here = row.dataset.id === chosen;
      row.setAttribute("aria-selected", String(here));
      row.tabIndex = here ? 0 : -1;
    }
    if (rows.length && !rows.some((row) => row.tabIndex === 0)) rows[0].tabIndex = 0;
  }

  /** @returns {HTMLElement[]} */
  const kernelRows = () => [...body.querySelectorAll("tr.xa-kernel")];

  /** @param {HTMLElement|undefined} row */
  function go(row) {
    if (!row?.dataset.id) return;
    row.focus({ preventScroll: true });
    reveal(row);
    choose(row.dataset.id);
  }

  /** Scrolls the table only; `scrollIntoView` would scroll the notebook too. @param {HTMLElement} row */
  function reveal(row) {
    const covered = head.offsetHeight;
    if (row.offsetTop - covered < box.scrollTop) box.scrollTop = row.offsetTop - covered - 24;
    else if (row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = row.offsetTop + row.offsetHeight - box.clientHeight + 4;
  }

  csv.addEventListener("click", () => {
    const columns = shownColumns();
    const field = (/** @type {Cell} */ cell) => (cell === null ? "" : /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
    const table = [columns.map((column) => column.name), ...shownKernels().map((kernel) => columns.map((column) => value(kernel, column.name)))];
    copy(table.map((row) => `${row.map(field).join(",")}\n`).join("")).then(() => acknowledge(csv, "Copied"));
  });
  filter.addEventListener("input", draw);
  filter.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      filter.value = "";
      draw();
    } else if (event.key === "ArrowDown" || event.key === "Enter") go(kernelRows()[0]);
    else return;
    event.preventDefault();
  });
  all.addEventListener("click", () => {
    everyColumn = !everyColumn;
    all.setAttribute("aria-pressed", String(everyColumn));
    draw();
  });
  configs.addEventListener("click", () => {
    allConfigs = !allConfigs;
    configs.setAttribute("aria-pressed", String(allConfigs));
    draw();
  });
  body.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const row = /** @type {HTMLElement} */ (event.target).closest("tr.xa-kernel");
    if (row) go(/** @type {HTMLElement} */ (row));
  });
  body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const rows = kernelRows();
    const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: Math.min(at + 10, rows.length - 1), PageUp: Math.max(at - 10, 0) }[event.key];
    if (target !== undefined) go(rows[target]);
    else if (event.key === "Enter" || event.key === " ") enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    tools,
    box,
    focusFilter: () => filter.select(),
    focusRow: () => (kernelRows().find((row) => row.tabIndex === 0) ?? filter).focus(),
    /** @param {Capture} next @param {string|null} id */
    show(next, id) {
      capture = next;
      chosen = id;
      draw();
    },
    /** @param {string} id */
    select(id) {
      chosen = id;
      mark();
    },
    value,
    get order() {
      return shownKernels();
    },
  };
}

/** Missing values come last, whichever way the sort runs. @param {Cell} a @param {Cell} b @param {boolean} down */
function compare(a, b, down) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "en", { numeric: true }) : Number(a) - Number(b);
  return down ? -order : order;
}

// ------------------------------------------------------------------------------------------------------- help

/** A small box of help beside a token; the page's reader hears it too. */
function helpBox() {
  const box = h("div", { class: "xa-help", role: "tooltip", "aria-live": "polite", hidden: true });
  return {
    element: box,
    /** @param {Record<string, string>} help @param {number} x @param {number} y */
    show(help, x, y) {
      box.replaceChildren(
        h("strong", { text: visible(help.title) }),
        ...["text", "operands", "pitfall"].filter((part) => help[part]).map((part) => h("p", { class: `xa-help-${part}`, text: visible(help[part]) })),
        help.source ? h("small", { text: visible(help.source) }) : null,
      );
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      box.style.left = `${Math.max(4, Math.min(x + 8, innerWidth - width - 8))}px`;
      box.style.top = `${y + 16 + height < innerHeight ? y + 16 : Math.max(4, y - height - 12)}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}

// ------------------------------------------------------------------------------------------------ one stage's pane

/**
 * @typedef {object} Shared  what the panes of a kernel have in common
 * @property {Host} host
 * @property {() => Kernel|null} kernel
 * @property {() => number|null} attempt
 * @property {() => Stage[]} stages
 * @property {(pane: any, line: number|null, firmly: boolean) => void} linked
 * @property {() => void} changed
 * @property {ReturnType<typeof helpBox>} help
 * @property {string} name  of the kernel
 */

/** @param {Shared} shared @param {string} stage */
function stagePane(shared, stage) {
  const { host } = shared;
  const tabs = h("div", { class: "xa-tabs", role: "tablist", "aria-label": "Stages" });
  const chooser = h("select", { class: "xa-stage-choice", "aria-label": "Stage" });
  const opcodes = h("select", { class: "xa-opcodes", "aria-label": "Show one instruction, dim the others" });
  const find = h("input", { class: "xa-find", type: "search", placeholder: "Find   /", "aria-label": "Find in this listing", spellcheck: "false" });
  const said = h("span", { class: "xa-count", role: "status" });
  const copyButton = h("button", { class: "xa-button", type: "button", text: "Copy" });
  const saveButton = h("button", { class: "xa-button", type: "button", text: "Save" });
  const message = h("div");
  let asked = 0;
  /** @type {Linkable|null} */ let shown = null;

  /** @returns {Place} */
  const place = () => ({ kernel: shared.kernel()?.id ?? "", attempt: shared.attempt(), stage });
  const code = listingView((start) => host.request("spans", { ...place(), start }), {
    hover: (line) => shared.linked(self, line, false),
    select: (line) => shared.linked(self, line, true),
    find: () => find.select(),
    said: (text) => {
      said.textContent = text;
    },
    async help(line, column, x, y) {
      if (!shown) return;
      const mine = asked;
      try {
        const answer = await host.request("help", { stage, text: shown.lines[line], column });
        if (answer.help && mine === asked) shared.help.show(answer.help, x, y);
      } catch {
        // No help is no fault of the listing.
      }
    },
    unhelp: () => shared.help.hide(),
  });
  const bar = h("div", { class: "xa-bar" }, tabs, chooser, h("span", { class: "xa-space" }), said, opcodes, find, copyButton, saveButton);
  const element = h("section", { class: "xa-stage" }, bar, message, code.element);

  function draw() {
    const stages = shared.stages();
    tabs.replaceChildren(
      ...stages.map((one) =>
        h("button", {
          type: "button", role: "tab", class: "xa-tab", "aria-selected": String(one.name === stage), tabindex: one.name === stage ? "0" : "-1", "data-stage": one.name, text: one.title,
          on: { click: () => open(one.name) },
        }),
      ),
    );
    chooser.replaceChildren(...stages.map((one) => h("option", { value: one.name, text: one.title })));
    chooser.value = stage;
    bar.hidden = stages.length === 0;
    saveButton.textContent = `Save ${stages.find((one) => one.name === stage)?.suffix ?? ""}`;
  }

  /** @param {string} text @param {boolean} [bad] */
  function say(text, bad = false) {
    code.element.classList.add("xa-away");
    message.replaceChildren(h("p", { class: bad ? "xa-say xa-bad" : "xa-say", role: bad ? "alert" : "status", text: visible(text) }));
  }

  /** Source lines of a stage that has vISA numbers only come from one that has both. @param {Linkable} listing */
  async function locate(listing) {
    if (listing.located || !listing.numbered) return;
    const other = ["visa", "isa"].find((name) => name !== stage && shared.stages().some((one) => one.name === name));
    if (other) listing.borrow(linkable(await host.request("listing", { ...place(), stage: other })));
  }

  /** @param {string} [wanted] */
  async function open(wanted = stage) {
    if (!shared.kernel()) return;
    const have = shared.stages().map((one) => one.name);
    stage = have.includes(wanted) ? wanted : have.includes("isa") ? "isa" : have.at(-1) ?? "";
    draw();
    shown = null;
    find.value = said.textContent = "";
    opcodes.hidden = true;
    copyButton.disabled = saveButton.disabled = true;
    if (!stage) {
      code.clear();
      say("There is no listing of this kernel.");
      return;
    }
    const mine = ++asked;
    const label = `${shared.stages().find((one) => one.name === stage)?.title} of ${shared.name}`;
    const slow = setTimeout(() => {
      if (mine !== asked) return;
      code.clear();
      say("Reading …");
    }, 300);
    try {
      const listing = await host.request("listing", place());
      if (mine !== asked) return;
      message.replaceChildren();
      code.element.classList.remove("xa-away");
      shown = linkable(listing);
      code.show(listing, shown.lines, label);
      copyButton.disabled = saveButton.disabled = false;
      shared.changed();
      // Once the text is on the screen.
      setTimeout(() => {
        if (mine !== asked || !shown) return;
        const names = code.opcodes();
        opcodes.hidden = names.length === 0;
        opcodes.replaceChildren(h("option", { value: "", text: "All opcodes" }), ...names.map(([name, count]) => h("option", { value: name, text: `${name} (${number.format(count)})` })));
        locate(shown).catch(() => {});
      }, 30);
    } catch (error) {
      if (mine !== asked) return;
      code.clear();
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      clearTimeout(slow);
    }
  }

  tabs.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = shared.stages();
    if (!step || !all.length) return;
    const next = all[(all.findIndex((one) => one.name === stage) + step + all.length) % all.length].name;
    open(next);
    tabs.querySelector(`[data-stage="${next}"]`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  const own = (/** @type {KeyboardEvent} */ event) => event.stopPropagation();
  chooser.addEventListener("change", () => open(chooser.value));
  chooser.addEventListener("keydown", own);
  opcodes.addEventListener("keydown", own);
  opcodes.addEventListener("change", () => {
    find.value = "";
    code.find("");
    const count = code.filter(opcodes.value);
    said.textContent = opcodes.value ? `${counted(count, "line")}, n and N` : "";
  });
  find.addEventListener("input", () => {
    opcodes.value = "";
    code.filter("");
    const count = code.find(find.value);
    said.textContent = find.value ? counted(count, "line") : "";
  });
  find.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key === "Enter") {
      code.nextHit(event.shiftKey ? -1 : 1);
      code.focus();
    } else if (event.key === "Escape") {
      find.value = said.textContent = "";
      code.find("");
      code.focus();
    } else return;
    event.preventDefault();
  });
  copyButton.addEventListener("click", () => copy(code.text).then(() => acknowledge(copyButton, "Copied")));
  saveButton.addEventListener("click", () => {
    const suffix = shared.stages().find((one) => one.name === stage)?.suffix ?? ".txt";
    const attempt = shared.attempt();
    const tried = attempt === null ? "" : `.rejected-${attempt + 1}`;
    save(code.text, `${shared.name.replace(/[^\w.-]+/g, "_").slice(0, 120)}${tried}${suffix}`);
  });

  const self = {
    element,
    open,
    code,
    get stage() {
      return stage;
    },
    get shown() {
      return shown;
    },
    focus: code.focus,
    destroy: code.destroy,
  };
  return self;
}

// ------------------------------------------------------------------------------------------ the chosen kernel

const REMEMBERED = "xpuasm-panes";
const WIDE = 1400; // pixels: from here on two panes are shown at first

/** What the reader had last time; a page from a file, or a strict browser, remembers nothing. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {object} layout */
function remember(layout) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(layout));
  } catch {
    // It is a comfort only.
  }
}

/**
 * @param {Host} host
 * @param {(kernel: Kernel, name: string) => Cell} value
 * @param {(stage: string, line: number|null) => void} moved  the reader looks at a line
 */
function kernelPane(host, value, moved) {
  const name = h("h3", { class: "xa-title" });
  const facts = h("ul", { class: "xa-facts", "aria-label": "Facts" });
  const attempts = h("select", { class: "xa-select", "aria-label": "Which build" });
  const where = h("span", { class: "xa-where", role: "status" });
  const followButton = h("button", { class: "xa-button", type: "button", text: "Follow", title: "Scroll the other panes to the lines that belong to the chosen one" });
  const counts = [1, 2, 3].map((count) =>
    h("button", { class: "xa-button", type: "button", text: String(count), "aria-label": counted(count, "pane"), title: counted(count, "pane"), on: { click: () => arrange(count) } }),
  );
  const layoutBox = h("div", { class: "xa-layout", role: "group", "aria-label": "Panes side by side" }, ...counts);
  const linkButton = h("button", { class: "xa-button", type: "button", text: "Copy link" });
  const messages = h("div", { class: "xa-messages" });
  const split = h("div", { class: "xa-split" });
  const help = helpBox();
  const head = h("div", { class: "xa-head" }, h("div", { class: "xa-head-text" }, name, facts), h("div", { class: "xa-controls" }, where, attempts, linkButton, followButton, layoutBox));
  const pane = h("section", { class: "xa-pane", "aria-label": "Kernel" }, head, messages, split, help.element);

  /** @type {Kernel|null} */ let kernel = null;
  /** @type {number|null} */ let attempt = null;
  const layout = { count: 0, stages: ["isa", "python", "ttgir"], widths: [1, 1, 1], follow: true, ...remembered() };
  /** @type {ReturnType<typeof stagePane>[]} */ let panes = [];

  const stages = () => (attempt === null ? kernel?.stages : kernel?.attempts[attempt]?.stages) ?? [];
  const shared = /** @type {Shared} */ ({
    host,
    kernel: () => kernel,
    attempt: () => attempt,
    stages,
    help,
    linked,
    changed: keep,
    get name() {
      return kernel ? String(value(kernel, "name") ?? kernel.id) : "";
    },
  });

  function keep() {
    for (const [index, one] of panes.entries()) if (one.stage) layout.stages[index] = one.stage;
    remember(layout);
  }

  /** Lights up, in every pane, what belongs to a line of one. @param {any} from @param {number|null} line @param {boolean} firmly */
  function linked(from, line, firmly) {
    const { shown } = from;
    let total = 0;
    for (const one of panes) {
      const found = line === null || !shown || !one.shown ? [] : one === from ? [line] : linkedLines(shown, line, one.shown);
      one.code.light(found, firmly);
      if (one !== from) {
        total += found.length;
        if (layout.follow && firmly) one.code.bring(found);
      }
    }
    if (line === null || !shown) return;
    if (firmly) moved(from.stage, line);
    const source = shown.place(line);
    where.textContent = [source ? sourceName(source) : "no source line", panes.length > 1 ? counted(total, "linked line") : ""].filter(Boolean).join(" · ");
    where.title = source ? visible(source) : "";
  }

  /** @param {string} place  `file:line` */
  const sourceName = (place) => {
    const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? ["", place, ""];
    const base = file.split("/").at(-1) ?? file;
    return visible(`${base.length > 24 ? `${base.slice(0, 8)}…${base.slice(-6)}` : base}:${line}`);
  };

  /** @param {number} count  panes side by side */
  function arrange(count) {
    layout.count = count;
    // What stays is not touched: an element that is put in anew forgets where it was scrolled to.
    while (panes.length > count) {
      /** @type {any} */ (panes.pop()).destroy();
      split.lastChild?.remove();
      if (panes.length) split.lastChild?.remove();
    }
    while (panes.length < count) {
      const index = panes.length;
      const one = stagePane(shared, layout.stages[index] ?? "isa");
      one.element.style.flexGrow = String(layout.widths[index]);
      one.element.setAttribute("aria-label", `Pane ${index + 1}`);
      panes.push(one);
      split.append(...(index ? [divider(index), one.element] : [one.element]));
      if (kernel) one.open();
    }
    split.dataset.count = String(count);
    counts.forEach((button, index) => button.setAttribute("aria-pressed", String(index + 1 === count)));
    followButton.hidden = count === 1;
    remember(layout);
  }

  /** @param {number} index  of the pane at its right */
  function divider(index) {
    const bar = h("div", { class: "xa-divider", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the panes", tabindex: "0" });
    /** @param {number} pixels */
    const shift = (pixels) => {
      const [left, right] = [panes[index - 1].element, panes[index].element];
      const total = left.offsetWidth + right.offsetWidth;
      const share = Math.max(0.1, Math.min(0.9, (left.offsetWidth + pixels) / total));
      const weights = layout.widths[index - 1] + layout.widths[index];
      layout.widths[index - 1] = share * weights;
      layout.widths[index] = (1 - share) * weights;
      left.style.flexGrow = String(layout.widths[index - 1]);
      right.style.flexGrow = String(layout.widths[index]);
      bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
    };
    bar.setAttribute("aria-valuenow", String(Math.round((100 * layout.widths[index - 1]) / (layout.widths[index - 1] + layout.widths[index]))));
    bar.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      bar.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    bar.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (bar.hasPointerCapture(event.pointerId)) shift(event.clientX - bar.getBoundingClientRect().left - 3);
    });
    bar.addEventListener("pointerup", () => remember(layout));
    bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
      if (!step) return;
      shift(step);
      remember(layout);
      event.preventDefault();
      event.stopPropagation();
    });
    return bar;
  }

  function factTexts() {
    if (!kernel) return [];
    const k = kernel;
    const tried = attempt === null ? null : k.attempts[attempt];
    /** @type {(string|{bad: string}|{good: string})[]} */ const found = [];
    const get = (/** @type {string} */ column) => value(k, column);
    const simd = tried ? tried.simd : get("simd");
    const grf = tried ? tried.grf : get("grf");
    const spill = tried ? tried.spill_bytes : get("spill_bytes");
    if (simd !== null) found.push(`SIMD${simd}`);
    if (grf !== null) found.push(`${grf} GRF`);
    if (!tried && get("threads_per_eu") !== null) found.push(`${get("threads_per_eu")} threads/EU`);
    if (typeof spill === "number" && spill > 0) {
      const lane = typeof simd === "number" && simd > 0 ? `, ${number.format(Math.round((spill / (4 * simd)) * 10) / 10)} dwords/lane` : "";
      found.push({ bad: `spills ${number.format(spill)} B/thread${lane}` });
    } else if (spill === 0) found.push({ good: "no spill" });
    if (tried) return found;
    const registers = get("registers");
    if (registers !== null) found.push(`${registers} registers`);
    if (Number(get("slm_bytes")) > 0) found.push(`${cellText(get("slm_bytes"))} B SLM`);
    if (get("instructions") !== null) found.push(counted(Number(get("instructions")), "instruction"));
    if (get("isa_bytes") !== null) found.push(`${cellText(get("isa_bytes"))} B code`);
    if (get("match") !== null) found.push(`match: ${get("match")}`);
    if (get("launches") !== null) found.push(Number(get("launches")) > 0 ? counted(Number(get("launches")), "launch").replace(/launchs$/, "launches") : "compiled only");
    return found;
  }

  function drawHead() {
    if (!kernel) return;
    name.textContent = visible(String(value(kernel, "name") ?? kernel.id));
    const config = value(kernel, "config");
    if (config) name.append(h("span", { class: "xa-title-config", text: ` ${visible(String(config))}` }));
    facts.replaceChildren(
      ...factTexts().map((fact) => (typeof fact === "string" ? h("li", { text: fact }) : "bad" in fact ? h("li", { class: "xa-bad", text: fact.bad }) : h("li", { class: "xa-good", text: fact.good }))),
    );
    attempts.hidden = kernel.attempts.length === 0;
    attempts.replaceChildren(
      h("option", { value: "", text: kernel.attempts.some((one) => one.launched) ? "Build by the loader's rule" : "Shipped build" }),
      ...kernel.attempts.map((one, index) => h("option", { value: index, text: `${one.launched ? "Launched by this triton-xpu" : "Rejected"}: ${visible(one.label)}` })),
    );
    attempts.value = attempt === null ? "" : String(attempt);
    const found = [];
    if (attempt !== null) {
      const { label, reason, status, launched } = kernel.attempts[attempt];
      const role = launched ? "what the installed triton-xpu launches, against its own rule" : "not the kernel that runs";
      found.push(notesView([{ severity: "info", message: `${label}${status === "ok" ? "" : ` (${status})`}, ${role}: ${reason}`, path: null }], 1));
    } else {
      if (kernel.notes.length) found.push(notesView(kernel.notes, 3));
      if (kernel.error) found.push(h("pre", { class: "xa-error-text", tabindex: "0", "aria-label": "Compiler's message", text: visible(kernel.error) }));
      if (kernel.repro) {
        const { repro } = kernel;
        const button = h("button", { class: "xa-button", type: "button", text: "Copy", "aria-label": "Copy the command", on: { click: () => copy(repro).then(() => acknowledge(button, "Copied")) } });
        if (kernel.error) found.push(h("div", { class: "xa-repro" }, h("span", { text: "Repeat with" }), h("code", { text: visible(repro) }), button));
      }
    }
    messages.replaceChildren(...found);
  }

  /** @param {string} [wanted]  stage of the first pane */
  function open(wanted) {
    drawHead();
    where.textContent = "";
    // A kernel without listings says so once.
    for (const one of panes.slice(1)) one.element.hidden = stages().length === 0;
    return Promise.all(panes.map((one, index) => one.open(index === 0 ? wanted : undefined)));
  }

  attempts.addEventListener("change", () => {
    attempt = attempts.value === "" ? null : Number(attempts.value);
    open();
  });
  attempts.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  followButton.setAttribute("aria-pressed", String(layout.follow));
  followButton.addEventListener("click", () => {
    layout.follow = !layout.follow;
    followButton.setAttribute("aria-pressed", String(layout.follow));
    remember(layout);
  });
  linkButton.hidden = host.kind !== "page";
  linkButton.addEventListener("click", () => copy(location.href).then(() => acknowledge(linkButton, "Copied")));

  return {
    element: pane,
    /** In the page, when its width is known. */
    start() {
      const width = pane.clientWidth;
      const most = width >= 1000 ? 3 : width >= 700 ? 2 : 1;
      arrange(Math.min(layout.count || (width >= WIDE ? 2 : 1), most));
    },
    /** @param {Kernel|null} next */
    show(next) {
      const same = next !== null && next.id === kernel?.id;
      pane.hidden = next === null;
      // A newer state of the same kernel: a listing that is being read stays where it is.
      if (same && JSON.stringify(next) === JSON.stringify(kernel)) return;
      kernel = next;
      if (!same) attempt = null;
      else if (attempt !== null && !next.attempts[attempt]) attempt = null;
      if (next) open();
    },
    /** @param {string} stage @param {number} line */
    async goto(stage, line) {
      await open(stage || undefined);
      if (line >= 0 && panes[0].shown) panes[0].code.go(line);
    },
    get stage() {
      return panes[0]?.stage ?? "";
    },
    focus: () => panes[0]?.focus(),
    destroy() {
      for (const one of panes) one.destroy();
    },
  };
}

// ---------------------------------------------------------------------------------------------------- the keys

const KEYS = [
  ["/", "filter kernels; in a listing: find"],
  ["↑ ↓", "next kernel; in a listing: next line, and what belongs to it elsewhere"],
  ["Enter", "read the kernel; in a listing: go to the branch's target"],
  ["Backspace", "back from a branch's target"],
  ["n  N", "next and previous match of the search or the opcode"],
  ["h", "help on the instruction of the line"],
  ["Home  End", "first and last"],
  ["click on r12", "mark its writes and reads"],
  ["double click on a branch", "go to its target"],
  ["← →", "on the stages: choose; on the divider: move it"],
  ["Esc", "back to the kernels"],
];

function keysDialog() {
  const close = h("button", { class: "xa-button", type: "button", text: "Close", on: { click: () => dialog.close() } });
  const dialog = h(
    "dialog", { class: "xa-keys", "aria-label": "Keys" },
    h("dl", {}, ...KEYS.flatMap(([keys, effect]) => [h("dt", { text: keys }), h("dd", { text: effect })])),
    close,
  );
  dialog.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  return dialog;
}

// ---------------------------------------------------------------------------------------------- the whole view

/** @param {Host} host @param {HTMLElement} element @returns {() => void} clean-up */
function show(host, element) {
  const verdict = h("p", { class: "xa-verdict" });
  const top = h("div");
  const foot = h("footer", { class: "xa-foot" });
  const root = h("div", { class: "xpuasm", "data-host": host.kind, role: "group", "aria-label": "Captured kernels" });
  /** @type {string|null} */ let chosen = null;

  /** @param {string} id */
  function choose(id) {
    if (id === chosen) return;
    chosen = id;
    table.select(id);
    pane.show(host.capture().kernels.find((kernel) => kernel.id === id) ?? null);
    host.selected(id);
    moved(pane.stage, null);
  }

  /** A report's address leads to what is read. @param {string} stage @param {number|null} line */
  function moved(stage, line) {
    if (host.kind !== "page" || !chosen) return;
    const place = new URLSearchParams({ kernel: chosen, stage, ...(line === null ? {} : { line: String(line + 1) }) });
    history.replaceState(null, "", `#${place}`);
  }

  /** Where the page's address leads; nothing of it is trusted. */
  function goToAddress() {
    const place = new URLSearchParams(location.hash.slice(1));
    const kernel = host.capture().kernels.find((one) => one.id === place.get("kernel"));
    if (!kernel) return;
    choose(kernel.id);
    pane.goto(place.get("stage") ?? "", Number(place.get("line") ?? 0) - 1);
  }

  const table = kernelTable(choose, () => pane.focus(), host.allConfigs);
  const pane = kernelPane(host, table.value, moved);
  const keys = keysDialog();
  root.append(verdict, top, table.tools, table.box, pane.element, foot, keys);
  table.tools.append(h("button", { class: "xa-button", type: "button", text: "?", "aria-label": "Keys", title: "Keys   ?", on: { click: () => keys.showModal() } }));

  function update() {
    const capture = host.capture();
    verdict.replaceChildren(capture.state === "running" ? h("span", { class: "xa-running", text: "running" }) : "", visible(capture.verdict));
    top.replaceChildren(notesView(capture.notes, 3));
    table.show(capture, chosen);
    if (!capture.kernels.some((kernel) => kernel.id === chosen)) chosen = table.order[0]?.id ?? null;
    if (chosen) table.select(chosen);
    pane.show(capture.kernels.find((kernel) => kernel.id === chosen) ?? null);
    const versions = Object.entries(capture.versions).map(([name, version]) => `${name} ${version}`).join(" · ");
    foot.replaceChildren(
      ...(capture.fidelity.length
        ? [h("details", {}, h("summary", { text: `${counted(capture.fidelity.length, "way")} in which hardware can differ` }), h("ul", {}, ...capture.fidelity.map((text) => h("li", { text: visible(text) }))))]
        : []),
      h("span", { class: "xa-versions", text: visible(versions) }),
    );
    foot.hidden = !versions && !capture.fidelity.length;
  }

  // Jupyter's own shortcuts ("d d" deletes a cell) look at the focused element itself for this mark.
  root.addEventListener("focusin", (/** @type {FocusEvent} */ event) => {
    /** @type {HTMLElement} */ (event.target).setAttribute("data-lm-suppress-shortcuts", "true");
  });
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.matches("input, select, textarea")) return;
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey) table.focusFilter();
    else if (event.key === "Escape") table.focusRow();
    else if (event.key === "?") keys.showModal();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const stopTheme = followTheme(root);
  const stopCapture = host.onCapture(update);
  element.append(root);
  pane.start();
  update();
  if (host.kind === "page") {
    if (location.hash) goToAddress();
    addEventListener("hashchange", goToAddress);
  }
  return () => {
    stopTheme();
    stopCapture();
    removeEventListener("hashchange", goToAddress);
    pane.destroy();
    root.remove();
  };
}

// ---------------------------------------------------------------------------------------------------- the hosts

/** @param {ArrayBuffer|DataView|Uint8Array} bytes  gzipped JSON */
async function unpack(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const PATIENCE = 60_000; // a kernel that runs a cell answers when the cell is done

/**
 * A notebook: data come from the Python kernel, by messages with a number.
 * @param {any} model  anywidget's
 * @returns {Host & {close: () => void}}
 */
function notebookHost(model) {
  /** @type {Map<string, {resolve: (answer: any) => void, reject: (error: Error) => void, timer: any}>} */
  const waiting = new Map();
  const view = Math.random().toString(36).slice(2); // several views of one model share its messages
  let last = 0;

  /** @param {any} message @param {DataView[]} buffers */
  function onMessage(message, buffers) {
    const asked = message?.type === "answer" ? waiting.get(message.id) : undefined;
    if (!asked) return;
    waiting.delete(message.id);
    clearTimeout(asked.timer);
    if (message.error !== undefined) asked.reject(new Error(message.error));
    else unpack(buffers[0]).then(asked.resolve, asked.reject);
  }

  model.on("msg:custom", onMessage);
  return {
    kind: "notebook",
    allConfigs: model.get("_all_configs"),
    capture: () => model.get("_payload"),
    onCapture(listener) {
      model.on("change:_payload", listener);
      return () => model.off("change:_payload", listener);
    },
    request(kind, params) {
      const id = `${view}-${++last}`;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error("The Python kernel does not answer. It is busy, or it has been restarted: run the cell again."));
        }, PATIENCE);
        waiting.set(id, { resolve, reject, timer });
        model.send({ type: "request", id, kind, params });
      });
    },
    selected(id) {
      model.set("_selected", id);
      model.save_changes();
    },
    close() {
      model.off("msg:custom", onMessage);
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

/**
 * A report: everything lies in the page, each listing packed in an element of its own.
 * @returns {Host}
 */
function reportHost() {
  /** @type {{capture: Capture, listings: Record<string, {element: string}|{error: string}>}} */
  const data = JSON.parse(document.getElementById("xpuasm-data")?.textContent ?? "{}");
  /** @type {Map<string, Promise<Listing & {spans: Spans}>>} */
  const opened = new Map();

  /** @param {Place} place */
  function listing({ kernel, attempt, stage }) {
    const found = data.listings[JSON.stringify([kernel, attempt, stage])];
    if (!found) throw new Error("This listing is not in the report.");
    if ("error" in found) throw new Error(found.error);
    let promise = opened.get(found.element);
    if (!promise) {
      const packed = atob(document.getElementById(found.element)?.textContent ?? "");
      promise = unpack(Uint8Array.from(packed, (character) => character.charCodeAt(0)));
      opened.set(found.element, promise);
      const [oldest] = opened.keys();
      if (opened.size > 8) opened.delete(oldest);
    }
    return promise;
  }

  /** @type {Promise<any>|null} */ let words = null;

  /** Help for a token, by its text: the page has no Python to ask. @param {{stage: string, text: string, column: number}} place */
  async function glossary({ stage, text, column }) {
    const packed = document.getElementById("xpuasm-help")?.textContent;
    if (!packed) return { help: null };
    words ??= unpack(Uint8Array.from(atob(packed), (character) => character.charCodeAt(0)));
    const { languages, tokens, index, entries } = await words;
    const language = languages[stage];
    if (!language) return { help: null };
    for (const token of text.slice(0, 4000).matchAll(new RegExp(tokens[language], "g"))) {
      if (token.index > column || column >= token.index + token[0].length) continue;
      const known = index[language] ?? {};
      return { help: Object.hasOwn(known, token[0]) ? entries[known[token[0]]] : null };
    }
    return { help: null };
  }

  return {
    kind: "page",
    allConfigs: false,
    capture: () => data.capture,
    onCapture: () => () => {},
    async request(kind, params) {
      if (kind === "help") return glossary(/** @type {any} */ (params));
      const whole = await listing(/** @type {Place} */ (params));
      if (kind === "listing") return whole;
      const { start } = /** @type {{start: number}} */ (params);
      return { start, classes: whole.spans.classes, lines: whole.spans.lines.slice(start, start + whole.chunk) };
    },
    selected() {},
  };
}

/** The report page calls this. @param {HTMLElement} element */
export function openReport(element) {
  show(reportHost(), element);
}

export default {
  /** @param {{model: any, el: HTMLElement}} context */
  render({ model, el }) {
    const host = notebookHost(model);
    const hide = show(host, el);
    return () => {
      hide();
      host.close();
    };
  },
};
