// @ts-check
/** Figures and signs beside the lines of a listing. */

import { number } from "./dom.js";
/** @import { Analysis, ColumnFigures } from "./types.js" */

const DIGITS = 4;

/** @param {ColumnFigures} column */
function unrun({ runs }) {
  const values = new Int32Array(runs.reduce((total, [, count]) => total + count, 0));
  let at = 0;
  for (const [value, count] of runs) values.fill(value, at, (at += count));
  return values;
}

export function besideLines() {
  /** @type {{title: string, values: Int32Array, most: number, peak: number|null}|null} */ let figure = null;
  /** @type {Map<number, {sign: string, title: string, name: string}>} */ const signs = new Map();
  /** @type {Analysis|null} */ let shown = null;
  /** @type {number[]} */ let places = [];

  return {
    /** @param {Analysis|null} analysis @returns {boolean} it is another than before */
    set(analysis) {
      if (analysis === shown) return false;
      shown = analysis;
      signs.clear();
      const column = analysis?.columns[0];
      figure = column ? { title: column.title, values: unrun(column), most: column.most, peak: column.peak } : null;
      for (const { name, sign, title, lines } of analysis?.marks ?? []) for (const line of lines) if (!signs.has(line)) signs.set(line, { sign, title, name });
      places = [...signs.keys()].sort((a, b) => a - b);
      return true;
    },
    get figure() {
      return figure;
    },
    /** Columns of text that it takes. */
    get width() {
      return shown && (figure || signs.size) ? DIGITS + 3 : 0;
    },
    /** @param {HTMLElement} row @param {number} line */
    mark(row, line) {
      const value = figure?.values[line] ?? -1;
      const sign = signs.get(line);
      if (value < 0 && !sign) return void delete row.dataset.figure;
      row.dataset.figure = `${value < 0 ? "" : value}`.padStart(DIGITS) + (sign?.sign ?? " ");
      row.style.setProperty("--xa-fill", `${figure && value > 0 ? Math.round((100 * value) / figure.most) : 0}%`);
      row.classList.toggle("xa-peak", figure?.peak === line);
      row.classList.toggle("xa-signed", sign !== undefined);
    },
    /** In words. @param {number} line */
    words(line) {
      const value = figure?.values[line] ?? -1;
      const sign = signs.get(line);
      return [figure && value >= 0 ? `${number.format(value)} of ${number.format(figure.most)} registers ${figure.title}` : "", figure?.peak === line ? "the peak" : "", sign?.title ?? ""].filter(Boolean).join(", ");
    },
    /** The next line with a sign; null: there is none. @param {number} line @param {1|-1} step @returns {number|null} */
    next(line, step) {
      if (!places.length) return null;
      const found = step > 0 ? places.find((one) => one > line) : places.findLast((one) => one < line);
      return found ?? places[step > 0 ? 0 : places.length - 1];
    },
    /** @param {string} name @returns {number[]} */
    signed: (name) => places.filter((line) => signs.get(line)?.name === name),
  };
}
