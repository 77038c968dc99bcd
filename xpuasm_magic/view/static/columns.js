// @ts-check
/** Which columns are shown: a menu of check boxes. */

import { h } from "./dom.js";
import { memorize, recall } from "./memory.js";
/** @import { Capture, Column } from "./types.js" */

const REMEMBERED_COLUMNS = "xpuasm-columns";
const ALWAYS = "name";

/** @param {() => void} changed  other columns are to be shown */
export function columnMenu(changed) {
  /** @type {Record<string, boolean>} what the reader chose; of the others the capture decides */
  let choices = recall(REMEMBERED_COLUMNS);
  /** @type {Column[]} */ let columns = [];
  const button = h("button", { class: "xa-button", type: "button", text: "Columns", "aria-haspopup": "true", "aria-expanded": "false" });
  const menu = h("div", { class: "xa-menu", role: "group", "aria-label": "Columns", hidden: true });
  const element = h("div", { class: "xa-menu-box" }, button, menu);

  /** @param {Column} column */
  const isShown = (column) => column.name === ALWAYS || (choices[column.name] ?? column.primary);

  function set(/** @type {Record<string, boolean>} */ next) {
    choices = next;
    memorize(REMEMBERED_COLUMNS, choices);
    tick();
    changed();
  }

  const every = h("input", { type: "checkbox", on: { change: () => set(Object.fromEntries(columns.map((column) => [column.name, every.checked || column.name === ALWAYS]))) } });
  const usual = h("button", { class: "xa-button", type: "button", text: "As at first", title: "The columns that are shown when nobody has chosen", on: { click: () => set({}) } });
  const list = h("div", { class: "xa-menu-list" });
  menu.append(h("div", { class: "xa-menu-head" }, h("label", {}, every, "All columns"), usual), list);

  function tick() {
    const shown = columns.filter(isShown);
    every.checked = shown.length === columns.length;
    every.indeterminate = shown.length > 1 && !every.checked;
    for (const box of list.querySelectorAll("input")) box.checked = shown.some((column) => column.name === box.value);
  }

  /** @param {boolean} open */
  function toggle(open) {
    menu.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) every.focus();
  }

  button.addEventListener("click", () => toggle(menu.hidden));
  element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget && !element.contains(event.relatedTarget)) toggle(false);
  });
  const outside = (/** @type {Event} */ event) => {
    if (!menu.hidden && !event.composedPath().includes(element)) toggle(false);
  };
  document.addEventListener("pointerdown", outside);
  menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    const boxes = [...menu.querySelectorAll("input:enabled, button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) boxes[(boxes.indexOf(document.activeElement) + step + boxes.length) % boxes.length].focus();
    else if (event.key === "Escape") {
      toggle(false);
      button.focus();
    } else return;
    event.preventDefault();
  });

  return {
    element,
    /** @param {Capture} capture */
    show(capture) {
      const same = capture.columns.map((column) => column.name).join() === columns.map((column) => column.name).join();
      columns = capture.columns;
      element.hidden = columns.length < 2;
      if (!same) {
        list.replaceChildren(
          ...columns.map((column) =>
            h("label", { title: column.tooltip },
              h("input", {
                type: "checkbox", value: column.name, disabled: column.name === ALWAYS,
                on: { change: (/** @type {any} */ event) => set({ ...choices, [column.name]: event.target.checked }) },
              }),
              h("span", { class: "xa-menu-title", text: column.title }), h("span", { class: "xa-menu-text", text: column.tooltip })),
          ),
        );
      }
      tick();
    },
    /** In their order. @returns {Column[]} */
    get shown() {
      return columns.filter(isShown);
    },
    destroy: () => document.removeEventListener("pointerdown", outside),
  };
}
