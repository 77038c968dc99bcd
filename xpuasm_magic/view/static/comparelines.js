// @ts-check
/** Two texts side by side as lines of one length: changes with a heading each, what is between them folded. */

import { counted, number } from "./dom.js";
/** @import { Comparison } from "./types.js" */

const LEAST_FOLDED = 4; // lines; fewer are no shorter when folded
const SIGNS = /** @type {Record<string, [string, string]>} */ ({ removed: ["-", " "], added: [" ", "+"], moved: ["<", ">"], rerouted: ["~", "~"] });

/** @typedef {{line: number, first: number, last: number, open: boolean}} Stretch  a heading, and the lines under it */

/** @param {Comparison} answer */
export function compareLines(answer) {
  const { kinds, hunks } = answer;
  const texts = answer.texts.map((text) => text.split("\n"));
  /** @type {string[]} */ const kind = [];
  /** @type {[number[], number[]]} lines of the listings; -1: none */ const at = [[], []];
  /** @type {[string[], string[]]} */ const shown = [[], []];
  /** @type {number[]} */ const heads = [];
  /** @type {Map<number, Stretch>} by the line of its heading */ const stretches = new Map();

  /** @param {string} what @param {number} a @param {number} b @param {string} [left] @param {string} [right] */
  function add(what, a, b, left = a < 0 ? "" : texts[0][a], right = b < 0 ? "" : texts[1][b]) {
    kind.push(what);
    at[0].push(a);
    at[1].push(b);
    shown[0].push(left);
    shown[1].push(right);
  }

  /** @type {[string, number, number][]} */ const rows = [];
  for (const [code, a, b, count] of answer.runs) for (let i = 0; i < count; i++) rows.push([kinds[code], a < 0 ? -1 : a + i, b < 0 ? -1 : b + i]);

  /** @param {number} from @param {number} to */
  function between(from, to) {
    const stretch = to - from >= LEAST_FOLDED ? { line: kind.length, first: kind.length + 1, last: kind.length + to - from, open: false } : null;
    if (stretch) {
      stretches.set(stretch.line, stretch);
      add("fold", -1, -1);
    }
    for (let row = from; row < to; row++) add(...rows[row]);
  }

  let done = 0;
  hunks.forEach(({ first, last, places }, index) => {
    between(done, first);
    heads.push(kind.length);
    const changed = rows.slice(first, last + 1).map(([what]) => what);
    const tally = [["removed", "−"], ["added", "+"], ["moved", "moved "], ["rerouted", "~"]]
      .map(([what, sign]) => [sign, changed.filter((one) => one === what).length])
      .filter(([, many]) => many)
      .map(([sign, many]) => `${sign}${number.format(Number(many))}`);
    add("head", -1, -1, [`Change ${index + 1} of ${hunks.length}`, places.join(", ")].filter(Boolean).join(" · "), tally.join("  "));
    for (let row = first; row <= last; row++) add(...rows[row]);
    done = last + 1;
  });
  between(done, rows.length);

  return {
    kind,
    at,
    shown,
    heads,
    stretches,
    /** @param {Stretch} stretch */
    words: (stretch) => `${counted(stretch.last - stretch.first + 1, "line")} without a change`,
    /** What stands beside a line: its number, and the sign of its change. @param {0|1} side @param {number} line */
    gutter(side, line) {
      const index = at[side][line];
      return `${index < 0 ? "" : index + 1} ${SIGNS[kind[line]]?.[side] ?? " "}`;
    },
    width: Math.max(...texts.map((lines) => `${lines.length}`.length)) + 2,
  };
}

/** @typedef {ReturnType<typeof compareLines>} CompareLines */

/** Which of the lines are shown; the shape is that of `foldable`. @param {CompareLines} lines */
export function compareFolds(lines) {
  const total = lines.kind.length;
  let lineOf = new Int32Array(0);
  const rowOf = new Int32Array(total);

  function arrange() {
    const found = [];
    for (let line = 0; line < total; line++) {
      rowOf[line] = found.length;
      found.push(line);
      const stretch = lines.stretches.get(line);
      if (stretch && !stretch.open) {
        for (let hidden = stretch.first; hidden <= stretch.last; hidden++) rowOf[hidden] = rowOf[line];
        line = stretch.last;
      }
    }
    lineOf = Int32Array.from(found);
  }

  arrange();
  return {
    arrange,
    get count() {
      return lineOf.length;
    },
    /** @param {number} row */
    lineAt: (row) => lineOf[row],
    /** @param {number} line */
    rowAt: (line) => rowOf[line],
  };
}
