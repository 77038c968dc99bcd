// @ts-check
/** A matrix of what-ifs: a table for each question, of which any two rows can be compared. */

import { cellText, h, visible } from "./dom.js";
/** @import { Code, Matrix, MatrixPart, MatrixRow } from "./types.js" */

let matrices = 0; // radio buttons of one table share a name

/** @param {Matrix} matrix @param {((a: Code, b: Code) => void)|null} compare  null: it cannot be done here */
export function matrixView(matrix, compare) {
  const parts = matrix.parts.map((part) => partView(part, compare));
  return h("div", { class: "xa-matrices" },
    matrix.interrupted ? h("p", { class: "xa-matrix-say", text: "Stopped: what was compiled by then is shown." }) : null,
    ...parts,
    h("p", { class: "xa-matrix-say" }, "The cells are a capture of their own: ", h("code", { text: visible(matrix.folder) })));
}

/** @param {MatrixPart} part @param {((a: Code, b: Code) => void)|null} compare */
function partView(part, compare) {
  const name = `xa-matrix-${++matrices}`;
  const able = part.rows.map((row) => row.status === "ok");
  const offered = compare !== null && able.filter(Boolean).length > 1;
  const reasons = part.rows.some((row) => row.reason);
  const chosen = [able.indexOf(true), able.indexOf(true, able.indexOf(true) + 1)];
  const button = h("button", { class: "xa-button", type: "button", text: "Compare A with B", on: { click: () => compare?.(part.rows[chosen[0]].code, part.rows[chosen[1]].code) } });

  /** @param {MatrixRow} row @param {number} index @param {0|1} side */
  function radio(row, index, side) {
    if (!able[index]) return h("td");
    const label = `${side ? "B" : "A"}: ${named(row)}`;
    const input = h("input", { type: "radio", name: `${name}-${side}`, "aria-label": label, title: label, on: {
      change() {
        chosen[side] = index;
        button.disabled = chosen[0] === chosen[1];
      },
    } });
    input.checked = chosen[side] === index;
    return h("td", {}, input);
  }

  /** @param {MatrixRow} row */
  const named = (row) => (row.captured ? "as captured" : row.cells.filter((cell, index) => cell !== null && !part.columns[index].figure).map((cell) => cellText(cell)).join(", "));

  const head = h("tr", {},
    ...(offered ? ["A", "B"].map((side) => h("th", { scope: "col", text: side, title: `${side} of a comparison` })) : []),
    ...part.columns.map((column) => h("th", { scope: "col", class: column.numeric ? "xa-number" : null, title: column.tooltip, text: column.title })),
    h("th", { scope: "col", text: "status" }),
    reasons ? h("th", { scope: "col", text: "reason" }) : null);
  const rows = part.rows.map((row, index) =>
    h("tr", { class: row.captured ? "xa-captured" : null },
      ...(offered ? [radio(row, index, 0), radio(row, index, 1)] : []),
      ...part.columns.map((column, at) => matrixCell(row, at, column.numeric)),
      h("td", { class: able[index] ? null : row.status === "refused" ? "xa-doubt" : "xa-bad", text: row.status }),
      reasons ? h("td", { class: "xa-reason", text: visible(row.reason ?? "") }) : null));
  return h("div", { class: "xa-matrix" },
    h("div", { class: "xa-matrix-head" }, h("h4", { text: `What if: ${part.words}` }), offered ? button : null),
    h("div", { class: "xa-matrix-box", tabindex: "0", role: "region", "aria-label": part.words },
      h("table", { class: "xa-table xa-plain", "aria-label": `What if: ${part.words}` }, h("thead", {}, head), h("tbody", {}, ...rows))));
}

/** @param {MatrixRow} row @param {number} at @param {boolean} numeric */
function matrixCell(row, at, numeric) {
  const value = row.cells[at];
  const mark = row.marks[at];
  const text = at === 0 && row.captured ? "as captured" : value === null && row.captured ? "" : visible(cellText(value));
  const css = [numeric ? "xa-number" : "", mark ? `xa-${mark}` : "", value === null ? "xa-missing" : ""].filter(Boolean).join(" ");
  return h("td", { class: css || null }, text, mark ? h("small", { text: ` ${mark}` }) : null);
}
