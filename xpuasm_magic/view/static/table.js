// @ts-check
/** The list of kernels and their numbers in one: by family, or sorted by a column. */

import { acknowledge, copy, counted, h, number } from "./dom.js";
import { kernelCell } from "./cells.js";
import { columnMenu } from "./columns.js";
import { csvText } from "./csv.js";
import { kernelFilters } from "./filters.js";
import { grouped, sortedGroups } from "./groups.js";
import { settingsOf } from "./settings.js";
/** @import { Column, Kernel, Capture } from "./types.js" */
/** @import { CellOf, Group, Sort } from "./groups.js" */

/**
 * @param {(id: string) => void} choose
 * @param {() => void} enter  the reader wants the code of the chosen kernel
 * @param {boolean} allConfigs  every group is open at first
 */
export function kernelTable(choose, enter, allConfigs) {
  /** @type {Capture} */ let capture;
  /** @type {Map<string, number>} */ let places = new Map();
  /** @type {Sort|null} */ let sort = null;
  /** @type {string|null} */ let chosen = null;
  /** @type {string|null} */ let revealed = null; // for which the list was scrolled and unfolded
  /** @type {Set<string>} groups that are not as the others */ const odd = new Set();
  /** @type {ReturnType<typeof settingsOf>} */ let settings;
  /** @type {Map<string, number>} */ let sizes = new Map();

  /** @type {CellOf} */
  const value = (kernel, name) => {
    const at = places.get(name);
    return at === undefined ? null : kernel.cells[at] ?? null;
  };
  const filters = kernelFilters(value, draw, () => go(kernelRows()[0]));
  const columns = columnMenu(draw);
  const count = h("span", { class: "xa-count", role: "status" });
  const configs = h("button", { class: "xa-button", type: "button", text: "All configs", title: "Unfold the configs of every kernel" });
  const csv = h("button", { class: "xa-button", type: "button", text: "Copy CSV", title: "The rows and columns that are shown; of one row: c" });
  const head = h("thead");
  const body = h("tbody");
  const table = h("table", { class: "xa-table", role: "treegrid", "aria-label": "Kernels" }, head, body);
  const box = h("div", { class: "xa-grid" }, table);
  const tools = h("div", { class: "xa-tools" }, ...filters.elements, count, h("span", { class: "xa-space" }), configs, columns.element, csv);

  /** @param {Kernel} kernel */
  const isOpen = (kernel) => odd.has(kernel.group) !== allConfigs;

  /** @returns {Group[]} */
  function shownGroups() {
    const found = capture.kernels.filter(filters.passes);
    const order = capture.families.map((family) => family.name);
    const byFamily = found.map((kernel, index) => ({ kernel, index })).sort((a, b) => order.indexOf(a.kernel.family) - order.indexOf(b.kernel.family) || a.index - b.index);
    const groups = grouped(byFamily.map(({ kernel }) => kernel), value);
    return sort ? sortedGroups(groups, sort, value) : groups;
  }

  /** Those that have a row. */
  const shownKernels = () => shownGroups().flatMap(({ kernel, others }) => (isOpen(kernel) ? [kernel, ...others] : [kernel]));

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
          head.querySelector(`th[data-column="${CSS.escape(column.name)}"] button`)?.focus();
        },
      },
    }, column.title, h("span", { class: "xa-arrow", "aria-hidden": "true", text: state === "none" ? "" : state === "descending" ? "▾" : "▴" }));
    return h("th", { scope: "col", "aria-sort": state, "data-column": column.name, class: column.numeric ? "xa-number" : null }, button);
  }

  /** @param {Group} group @param {number} level */
  function tableRow(group, level) {
    const { kernel, others } = group;
    const open = others.length > 0 && isOpen(kernel);
    const row = { group, open, level, badge: sort !== null, among: sizes.get(kernel.group) ?? 1, settings: settings(kernel) };
    return h(
      "tr",
      { class: level > 1 ? "xa-kernel xa-child" : "xa-kernel", "data-id": kernel.id, "data-group": kernel.group, tabindex: "-1", "aria-level": level, "aria-expanded": others.length ? String(open) : null },
      ...columns.shown.map((column) => kernelCell(row, column, value)),
    );
  }

  function draw() {
    const heading = head.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).closest("th")?.dataset.column : undefined;
    const held = body.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).closest("tr")?.dataset.id : undefined;
    const groups = shownGroups();
    const width = columns.shown.length;
    head.replaceChildren(h("tr", {}, ...columns.shown.map(header)));
    const rows = [];
    let family = "";
    for (const group of groups) {
      if (!sort && group.kernel.family !== family) {
        family = group.kernel.family;
        const title = capture.families.find((other) => other.name === family)?.title ?? family;
        const many = groups.filter((other) => other.kernel.family === family).length;
        rows.push(h("tr", { class: "xa-family" }, h("th", { colspan: width, scope: "rowgroup" }, h("span", { class: "xa-family-title" }, title, h("span", { class: "xa-family-count", text: String(many) })))));
      }
      rows.push(tableRow(group, 1));
      if (isOpen(group.kernel)) rows.push(...group.others.map((kernel) => tableRow({ kernel, others: [] }, 2)));
    }
    if (!groups.length) {
      const empty = capture.state === "running" ? "No kernel yet." : "No kernel in this capture.";
      rows.push(h("tr", {}, h("td", { class: "xa-empty", colspan: width || 1 }, ...(capture.kernels.length ? filters.advice() : [empty]))));
    }
    body.replaceChildren(...rows);
    tell(groups);
    mark();
    if (heading) head.querySelector(`th[data-column="${CSS.escape(heading)}"] button`)?.focus({ preventScroll: true });
    if (held) kernelRows().find((row) => row.dataset.id === held)?.focus({ preventScroll: true });
  }

  /** @param {Group[]} groups */
  function tell(groups) {
    const found = groups.reduce((sum, { others }) => sum + 1 + others.length, 0);
    const folded = groups.reduce((sum, { kernel, others }) => sum + (isOpen(kernel) ? 0 : others.length), 0);
    const measured = groups.some(({ kernel, others }) => others.length && value(kernel, "winner") !== null);
    const all = capture.kernels.length;
    count.textContent = (found === all ? counted(all, "kernel") : `${number.format(found)} of ${counted(all, "kernel")}`) + (folded ? `, ${number.format(folded)} folded${measured ? "" : ", none measured"}` : "");
    configs.hidden = !grouped(capture.kernels, value).some(({ others }) => others.length);
    configs.setAttribute("aria-pressed", String(allConfigs));
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

  /** @param {string} group @param {boolean} open */
  function fold(group, open) {
    if (open === allConfigs) odd.delete(group);
    else odd.add(group);
    draw();
  }

  /** Opens a row's configs, or goes to the first of them. @param {HTMLElement} row */
  function unfold(row) {
    if (row.getAttribute("aria-expanded") === "false") fold(row.dataset.group ?? "", true);
    else if (row.getAttribute("aria-expanded") === "true") go(/** @type {HTMLElement} */ (row.nextElementSibling));
  }

  /** Folds a row's configs, or goes to the row that this one is under. @param {HTMLElement} row */
  function foldOrLeave(row) {
    if (row.getAttribute("aria-expanded") === "true") fold(row.dataset.group ?? "", false);
    else if (row.classList.contains("xa-child")) go(kernelRows().find((other) => other.dataset.group === row.dataset.group && other.hasAttribute("aria-expanded")));
  }

  /** @param {HTMLElement} row */
  function copyRow(row) {
    const kernel = capture.kernels.find((one) => one.id === row.dataset.id);
    if (!kernel) return;
    copy(csvText(columns.shown, [kernel], value)).then(() => {
      row.focus({ preventScroll: true });
      count.textContent = "Row copied as CSV";
    });
  }

  csv.addEventListener("click", () => copy(csvText(columns.shown, shownKernels(), value)).then(() => acknowledge(csv, "Copied")));
  configs.addEventListener("click", () => {
    allConfigs = !allConfigs;
    odd.clear();
    draw();
  });
  body.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = /** @type {HTMLElement|null} */ (target.closest("tr.xa-kernel"));
    if (!row) return;
    if (target.closest("button.xa-fold")) fold(row.dataset.group ?? "", row.getAttribute("aria-expanded") === "false");
    else go(row);
  });
  body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const row = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("tr.xa-kernel"));
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = kernelRows();
    const at = rows.indexOf(row);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: Math.min(at + 10, rows.length - 1), PageUp: Math.max(at - 10, 0) }[event.key];
    if (target !== undefined) go(rows[target]);
    else if (event.key === "ArrowRight") unfold(row);
    else if (event.key === "ArrowLeft") foldOrLeave(row);
    else if (event.key === "c") copyRow(row);
    else if (event.key === "Enter" || event.key === " ") enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    tools,
    box,
    focusFilter: filters.focus,
    focusRow: () => (kernelRows().find((row) => row.tabIndex === 0) ?? filters.field).focus(),
    /** Only these kernels. @param {string} label  what they have in common @param {Iterable<string>} ids */
    only: filters.only,
    /** @param {Capture} next @param {string|null} id */
    show(next, id) {
      capture = next;
      chosen = id;
      places = new Map(capture.columns.map((column, index) => [column.name, index]));
      settings = settingsOf(capture.kernels, value);
      sizes = new Map();
      for (const kernel of capture.kernels) sizes.set(kernel.group, (sizes.get(kernel.group) ?? 0) + 1);
      columns.show(capture);
      filters.show(capture);
      draw();
    },
    /** The list stays where it is, and as it is folded, unless this is another choice. @param {string} id */
    select(id) {
      chosen = id;
      if (id === revealed) return mark();
      revealed = id;
      // One that is folded away is shown.
      const under = shownGroups().find(({ kernel, others }) => !isOpen(kernel) && others.some((other) => other.id === id));
      if (under) fold(under.kernel.group, true);
      else mark();
      const row = kernelRows().find((one) => one.dataset.id === id);
      if (row) reveal(row);
    },
    value,
    get order() {
      return shownKernels();
    },
    destroy: columns.destroy,
  };
}
