// @ts-check
/** Where the blocks of a listing begin and end: what can be folded. */

import { counted } from "./dom.js";
import { OPCODE, dialectOf } from "./dialects.js";

/**
 * Lines `first` to `last`; of a folded block its head is what is shown.
 *
 * @typedef {{first: number, head: number, last: number, name: string}} Block
 */

const BRANCHES = new Set(["jmpi", "goto", "if", "else", "while", "break", "cont", "call", "calla", "ret", "brd", "brc", "halt"]);
// // B003: [inDivergent],  Preds:{B001},  Succs:{B004}
const BLOCK_NOTE = /^\/\/ (B\d+):/;
// // _main:      (a label that no branch names)
const NOTED_LABEL = /^\/\/ (_main\w*):/;
const MOST_NAMED = 4;

/** @typedef {{stage: string, lines: string[], pcs: (number|null)[]}} Text */

/** Basic blocks of machine code. @param {Text} text @returns {Block[]} */
function isaBlocks({ stage, lines, pcs }) {
  const { label } = dialectOf(stage);
  /** @type {Block[]} */ const found = [];
  /** @type {Block|null} */ let open = null;
  let fresh = false; // the open block has no instruction yet
  let left = false; // a branch was the last instruction
  const begin = (/** @type {number} */ at, /** @type {string} */ name) => {
    open = { first: at, head: at, last: at, name };
    fresh = true;
    left = false;
    found.push(open);
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (pcs[index] != null) {
      if (!open || left) begin(index, "");
      /** @type {any} */ (open).last = index;
      fresh = false;
      left = BRANCHES.has(OPCODE.exec(line)?.[1] ?? "");
      continue;
    }
    const noted = BLOCK_NOTE.exec(line);
    const name = noted ?? label?.exec(line) ?? NOTED_LABEL.exec(line);
    if (!name) continue;
    // The label of a block stands below the note that tells of it.
    if (open && fresh && !noted) {
      /** @type {any} */ (open).head = index;
      /** @type {any} */ (open).name = name[1];
    } else begin(index, name[1]);
  }
  // Up to the next: blank lines and comments are a part of what comes before them.
  found.forEach((block, index) => {
    if (index + 1 < found.length) block.last = found[index + 1].first - 1;
    while (block.last > block.head && !lines[block.last].trim()) block.last--;
  });
  if (found.length && found[0].first > 3) found.unshift({ first: 0, head: 0, last: found[0].first - 1, name: "header" });
  return found;
}

/** What stands between a label and the next, and all that comes before the first. @param {Text} text @returns {Block[]} */
function labelled({ stage, lines }) {
  const { label } = dialectOf(stage);
  /** @type {Block[]} */ const found = [];
  let first = 0;
  let name = "header";
  const close = (/** @type {number} */ last) => {
    while (last > first && !lines[last].trim()) last--;
    if (last > first) found.push({ first, head: first, last, name });
  };
  lines.forEach((line, index) => {
    const begins = label?.exec(line);
    if (!begins) return;
    close(index - 1);
    first = index;
    name = begins[1];
  });
  if (name !== "header") close(lines.length - 1);
  return found;
}

/** Functions, and the blocks in them. @param {Text} text @param {RegExp} begins @param {RegExp} ends @returns {Block[]} */
function functions({ stage, lines }, begins, ends) {
  const { label } = dialectOf(stage);
  /** @type {Block[]} */ const found = [];
  /** @type {Block|null} */ let whole = null;
  /** @type {Block|null} */ let block = null;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (!whole) {
      const name = begins.exec(line);
      if (name) found.push((whole = { first: index, head: index, last: index, name: name[1] ?? "" }));
      continue;
    }
    const at = label?.exec(line);
    const end = ends.test(line);
    if (at || end) {
      if (block) {
        block.last = index - 1;
        while (block.last > block.head && !lines[block.last].trim()) block.last--;
      }
      block = null;
    }
    if (at) found.push((block = { first: index, head: index, last: index, name: at[1] }));
    if (end) {
      whole.last = index;
      whole = null;
    }
  }
  return found;
}

/** Regions in braces. @param {Text} text @returns {Block[]} */
function braced({ lines }) {
  /** @type {Block[]} */ const found = [];
  /** @type {Block[]} */ const open = [];
  lines.forEach((line, index) => {
    const trimmed = line.trim();
    const opens = /\{(?:\s*\/\/.*)?$/.test(trimmed);
    if (trimmed.startsWith("}")) {
      const block = open.pop();
      if (block) block.last = opens ? index - 1 : index;
    }
    if (opens) {
      const block = { first: index, head: index, last: index, name: /[\w.]+\.[\w.]+/.exec(trimmed)?.[0] ?? trimmed.replace(/\W+/g, " ").trim() };
      open.push(block);
      found.push(block);
    }
  });
  return found;
}

/** Lines of one kind that follow each other: `!12 = …`, `#loc3 = …`. @param {string[]} lines @param {RegExp} kind @param {string} name @returns {Block[]} */
function runs(lines, kind, name) {
  /** @type {Block[]} */ const found = [];
  let first = -1;
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && kind.test(lines[index])) {
      if (first < 0) first = index;
    } else if (first >= 0) {
      if (index - first > 3) found.push({ first, head: first, last: index - 1, name });
      first = -1;
    }
  }
  return found;
}

/** All that can be folded, outer blocks before those in them. @param {Text} text @returns {Block[]} */
export function blocksOf(text) {
  const { stage, lines } = text;
  const found = {
    isa: () => isaBlocks(text),
    sass: () => isaBlocks(text),
    visa: () => labelled(text),
    ptx: () => labelled(text),
    llir: () => [...functions(text, /^define .*?(@\S+?)\(/, /^\}/), ...runs(lines, /^!/, "metadata")],
    visa_ll: () => [...functions(text, /^define .*?(@\S+?)\(/, /^\}/), ...runs(lines, /^!/, "metadata")],
    ttir: () => [...braced(text), ...runs(lines, /^#loc/, "locations")],
    ttgir: () => [...braced(text), ...runs(lines, /^#loc/, "locations")],
    spirv: () => functions(text, /^\s*(%\S+) = OpFunction\b/, /^\s*OpFunctionEnd\b/),
  }[stage]?.() ?? [];
  return found.filter((block) => block.last > block.first).sort((a, b) => a.first - b.first || b.last - a.last);
}

/** What is in a block: `12 instructions: 4 mad, 2 load`. @param {Text} text @param {Block} block */
export function summaryOf({ stage, lines, pcs }, block) {
  const { named, noun } = dialectOf(stage);
  /** @type {Map<string, number>} */ const names = new Map();
  let total = 0;
  for (let index = block.first; index <= block.last; index++) {
    const name = named(lines[index], pcs[index] != null);
    if (name === null) continue;
    total++;
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  if (!total || block.name === "header") return counted(block.last - block.first + 1, "line");
  const most = [...names].sort((a, b) => b[1] - a[1]).slice(0, MOST_NAMED);
  return `${counted(total, noun)}: ${most.map(([name, count]) => `${count} ${name}`).join(", ")}${names.size > most.length ? ", …" : ""}`;
}
