// @ts-check
/** A listing's text as the reader wants to have it. */

import { dialectOf } from "./dialects.js";

/** @import { End } from "./selection.js" */
/** @import { Block } from "./blocks.js" */

/** @typedef {"written"|"bare"|"gutter"} Form */
/** @type {{form: Form, title: string, tooltip: string}[]} */
export const FORMS = [
  { form: "written", title: "As the compiler wrote it", tooltip: "Every character of the text" },
  { form: "bare", title: "Instructions only", tooltip: "Without comments, source lines, header and debug marks; labels stay" },
  { form: "gutter", title: "With line numbers and addresses", tooltip: "As the page shows it" },
];

/**
 * @param {Form} form
 * @param {{stage: string, lines: string[], pcs: (number|null)[], gutter: (line: number) => string}} text
 * @param {number} first @param {number} last  lines
 */
export function copiedLines(form, { stage, lines, pcs, gutter }, first, last) {
  /** @type {string[]} */ const found = [];
  const { bare } = dialectOf(stage);
  for (let index = first; index <= last; index++) {
    if (form === "gutter") found.push(`${gutter(index)}  ${lines[index]}`);
    else if (form === "written") found.push(lines[index]);
    else {
      const line = bare(lines[index], pcs[index] != null);
      if (line !== null) found.push(line);
    }
  }
  return found;
}

/**
 * The ends of a selection, with what is folded into its first and its last line.
 *
 * @param {{first: End, last: End}} ends @param {string[]} lines @param {(line: number) => Block|null} foldedAt
 */
export function unfoldedEnds({ first, last }, lines, foldedAt) {
  const [above, below] = [foldedAt(first.line), foldedAt(last.line)];
  return {
    first: above && first.column === 0 ? { line: above.first, column: 0 } : first,
    last: below && last.column >= lines[last.line].length ? { line: below.last, column: Infinity } : last,
  };
}

/** @param {string[]} lines @param {{first: End, last: End}} ends */
export function selectedText(lines, { first, last }) {
  const part = lines.slice(first.line, last.line + 1);
  part[part.length - 1] = part[part.length - 1].slice(0, last.column);
  part[0] = part[0].slice(first.column);
  return part.join("\n");
}
