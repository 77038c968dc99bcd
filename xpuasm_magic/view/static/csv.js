// @ts-check
/** Kernels as comma-separated values, for a spreadsheet. */

/** @import { Cell, Column, Kernel } from "./types.js" */
/** @import { CellOf } from "./groups.js" */

/** @param {Cell} cell */
const field = (cell) => (cell === null ? "" : /[",\n\r]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));

/** With a line of names; what is missing is empty. @param {Column[]} columns @param {Kernel[]} kernels @param {CellOf} value */
export function csvText(columns, kernels, value) {
  const table = [columns.map((column) => column.name), ...kernels.map((kernel) => columns.map((column) => value(kernel, column.name)))];
  return table.map((row) => `${row.map(field).join(",")}\n`).join("");
}
