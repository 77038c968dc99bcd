// @ts-check
/** The list of kernels and their numbers. */

import { acknowledge, cellText, copy, counted, h, visible } from "./dom.js";
import { MARKS } from "./notes.js";
/** @import { Column, Cell, Kernel, Capture } from "./types.js" */

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
export function kernelTable(choose, enter, allConfigs) {
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
