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
 *            spill_bytes: number|null, stages: Stage[]}} Attempt
 * @typedef {boolean|number|string|null} Cell
 * @typedef {{id: string, family: string, folded: boolean, cells: Cell[], stages: Stage[], attempts: Attempt[], notes: Note[],
 *            error: string|null, repro: string|null}} Kernel
 * @typedef {{title: string, state: string|null, verdict: string, folder: string, columns: Column[],
 *            families: {name: string, title: string}[], kernels: Kernel[], notes: Note[],
 *            fidelity: string[], versions: Record<string, string>}} Capture
 * @typedef {{text: string, chunk: number, files: string[], locs: number[][], ids: number[][],
 *            pcs: (number|null)[]}} Listing
 * @typedef {{start: number, classes: string[], lines: number[][]}} Spans
 * @typedef {{kernel: string, attempt: number|null, stage: string}} Place
 *
 * @typedef {object} Host
 * @property {() => Capture} capture
 * @property {(listener: () => void) => () => void} onCapture  tells of a newer capture; returns how to stop
 * @property {(kind: "listing"|"spans", params: object) => Promise<any>} request
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

// ----------------------------------------------------------------------------------------------- the listing

const ROW = 18; // pixels; `.xa-row` in the stylesheet has the same height
const SPARE = 20; // rows kept above and below what is seen
const MOST_SELECTED = 5000; // rows kept alive for a selection that reaches out of view

/**
 * A listing of any length: only the rows in view exist, and only those are coloured.
 *
 * @param {(start: number) => Promise<Spans>} colours
 */
function listingView(colours) {
  const sizer = h("div", { class: "xa-sizer" });
  const view = h("div", { class: "xa-code", tabindex: "0", role: "region" }, sizer);
  /** @type {string[]} */ let lines = [];
  /** @type {Listing|null} */ let listing = null;
  /** @type {Map<number, HTMLElement>} */ const rows = new Map();
  /** @type {Map<number, Spans|null>} null: on its way */ let chunks = new Map();
  let wanted = 0;
  let everything = false; // Ctrl+A was pressed: a copy takes the whole text
  let generation = 0;

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
        rows.set(index, row);
        sizer.insertBefore(row, next);
      }
      next = row;
    }
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
        },
        () => {}, // the text is there; it stays plain
      );
    }
  }

  function schedule() {
    if (!wanted) wanted = requestAnimationFrame(draw);
  }

  view.addEventListener("scroll", schedule, { passive: true });
  const resized = new ResizeObserver(schedule);
  resized.observe(view);

  view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      everything = true;
      getSelection()?.selectAllChildren(sizer);
    } else if (event.key === "Home" || (event.key === "g" && !event.ctrlKey)) view.scrollTop = 0;
    else if (event.key === "End" || event.key === "G") view.scrollTop = view.scrollHeight;
    else if (event.key === "ArrowDown") view.scrollTop += ROW;
    else if (event.key === "ArrowUp") view.scrollTop -= ROW;
    else if (event.key === "PageDown") view.scrollTop += view.clientHeight - ROW;
    else if (event.key === "PageUp") view.scrollTop -= view.clientHeight - ROW;
    else return;
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

  return {
    element: view,
    /** @param {Listing} next @param {string} label */
    show(next, label) {
      generation++;
      listing = next;
      lines = next.text.split("\n");
      chunks = new Map();
      rows.clear();
      everything = false;
      sizer.replaceChildren();
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
      generation++;
      listing = null;
      lines = [];
      rows.clear();
      sizer.replaceChildren();
      sizer.style.height = "0";
    },
    get text() {
      return listing ? `${listing.text}\n` : "";
    },
    focus: () => view.focus(),
    destroy() {
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
  const tools = h("div", { class: "xa-tools" }, filter, count, h("span", { class: "xa-space" }), configs, all);

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

  /** @param {Kernel} kernel @param {Column} column */
  function cell(kernel, column) {
    const raw = value(kernel, column.name);
    const text = visible(cellText(raw));
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
    return h("td", { class: classes.filter(Boolean).join(" ") || null, title: column.name === "config" ? text : raw === null ? "not known" : null, text });
  }

  function draw() {
    const columns = shownColumns();
    const kernels = shownKernels();
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
      rows.push(h("tr", { class: "xa-kernel", "data-id": kernel.id, tabindex: "-1" }, ...columns.map((column) => cell(kernel, column))));
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

// ------------------------------------------------------------------------------------------ the chosen kernel

/**
 * @param {Host} host
 * @param {(kernel: Kernel, name: string) => Cell} value
 */
function kernelPane(host, value) {
  const name = h("h3", { class: "xa-title" });
  const facts = h("ul", { class: "xa-facts", "aria-label": "Facts" });
  const tabs = h("div", { class: "xa-tabs", role: "tablist", "aria-label": "Stages" });
  const attempts = h("select", { class: "xa-select", "aria-label": "Which build" });
  const copyButton = h("button", { class: "xa-button", type: "button", text: "Copy" });
  const saveButton = h("button", { class: "xa-button", type: "button", text: "Save" });
  const messages = h("div", { class: "xa-messages" });
  const code = listingView((start) => host.request("spans", { ...place(), start }));
  const bar = h("div", { class: "xa-bar" }, tabs, attempts, h("span", { class: "xa-space" }), copyButton, saveButton);
  const pane = h("section", { class: "xa-pane", "aria-label": "Kernel" }, h("div", { class: "xa-head" }, name, facts), bar, messages, code.element);

  /** @type {Kernel|null} */ let kernel = null;
  /** @type {number|null} */ let attempt = null;
  let stage = "isa";
  let asked = 0;

  /** @returns {Place} */
  const place = () => ({ kernel: kernel?.id ?? "", attempt, stage });
  const stages = () => (attempt === null ? kernel?.stages : kernel?.attempts[attempt]?.stages) ?? [];

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
    tabs.replaceChildren(
      ...stages().map((one) =>
        h("button", {
          type: "button", role: "tab", class: "xa-tab", "aria-selected": String(one.name === stage), tabindex: one.name === stage ? "0" : "-1", "data-stage": one.name, text: one.title,
          on: { click: () => open(one.name) },
        }),
      ),
    );
    copyButton.hidden = saveButton.hidden = stages().length === 0;
    saveButton.textContent = `Save ${stages().find((one) => one.name === stage)?.suffix ?? ""}`;
    attempts.hidden = kernel.attempts.length === 0;
    attempts.replaceChildren(
      h("option", { value: "", text: "Shipped build" }),
      ...kernel.attempts.map((one, index) => h("option", { value: index, text: `Rejected: ${visible(one.label)}` })),
    );
    attempts.value = attempt === null ? "" : String(attempt);
    const found = [];
    if (attempt !== null) {
      const { label, reason, status } = kernel.attempts[attempt];
      found.push(notesView([{ severity: "info", message: `${label}${status === "ok" ? "" : ` (${status})`}, not the kernel that runs: ${reason}`, path: null }], 1));
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

  /** @param {string} message @param {boolean} [bad] */
  function say(message, bad = false) {
    code.element.classList.add("xa-away");
    messages.append(h("p", { class: bad ? "xa-say xa-bad" : "xa-say", role: bad ? "alert" : "status", text: visible(message) }));
  }

  /** @param {string} [wanted] */
  async function open(wanted = stage) {
    if (!kernel) return;
    const have = stages().map((one) => one.name);
    stage = have.includes(wanted) ? wanted : have.includes("isa") ? "isa" : have.at(-1) ?? "";
    drawHead();
    copyButton.disabled = saveButton.disabled = true;
    if (!stage) {
      code.clear();
      say("There is no listing of this kernel.");
      return;
    }
    const mine = ++asked;
    const label = `${stages().find((one) => one.name === stage)?.title} of ${value(kernel, "name")}`;
    const slow = setTimeout(() => {
      if (mine !== asked) return;
      code.clear();
      say("Reading …");
    }, 300);
    try {
      const listing = await host.request("listing", place());
      if (mine !== asked) return;
      drawHead();
      code.element.classList.remove("xa-away");
      code.show(listing, label);
      copyButton.disabled = saveButton.disabled = false;
    } catch (error) {
      if (mine !== asked) return;
      drawHead();
      code.clear();
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      clearTimeout(slow);
    }
  }

  tabs.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = stages();
    if (!step || !all.length) return;
    const next = all[(all.findIndex((one) => one.name === stage) + step + all.length) % all.length].name;
    open(next);
    tabs.querySelector(`[data-stage="${next}"]`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  attempts.addEventListener("change", () => {
    attempt = attempts.value === "" ? null : Number(attempts.value);
    open();
  });
  attempts.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  copyButton.addEventListener("click", () => copy(code.text).then(() => acknowledge(copyButton, "Copied")));
  saveButton.addEventListener("click", () => {
    if (!kernel) return;
    const suffix = stages().find((one) => one.name === stage)?.suffix ?? ".txt";
    const tried = attempt === null ? "" : `.rejected-${attempt + 1}`;
    save(code.text, `${String(value(kernel, "name")).replace(/[^\w.-]+/g, "_").slice(0, 120)}${tried}${suffix}`);
  });

  return {
    element: pane,
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
    focus: code.focus,
    destroy: code.destroy,
  };
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
  }

  const table = kernelTable(choose, () => pane.focus(), host.allConfigs);
  const pane = kernelPane(host, table.value);
  root.append(verdict, top, table.tools, table.box, pane.element, foot);

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
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const stopTheme = followTheme(root);
  const stopCapture = host.onCapture(update);
  element.append(root);
  update();
  return () => {
    stopTheme();
    stopCapture();
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

  return {
    kind: "page",
    allConfigs: false,
    capture: () => data.capture,
    onCapture: () => () => {},
    async request(kind, params) {
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
