// @ts-check
/** A source line as its reader knows it: `In[5]:3` for a line of a cell, else the file's name and the line. */

import { visible } from "./dom.js";
/** @import { Cells } from "./types.js" */

/** @param {string} place  `file:line`, as the compilers saw it @param {Cells} cells */
export function placeName(place, cells) {
  const at = place.lastIndexOf(":");
  const file = place.slice(0, at);
  const line = Number(place.slice(at + 1));
  const cell = cells.find((one) => one.file === file && one.first <= line && line < one.first + one.count);
  if (cell) return visible(`${cell.label}:${cell.start + line - cell.first}`);
  const base = file.slice(file.lastIndexOf("/") + 1);
  return visible(`${base.length > 24 ? `${base.slice(0, 8)}…${base.slice(-6)}` : base}:${line}`);
}
