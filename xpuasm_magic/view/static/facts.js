// @ts-check
/** What is known of a kernel, in a line each: its numbers, and what it was made of. */

import { cellText, counted, h, number, visible } from "./dom.js";
/** @import { Cell, Kernel } from "./types.js" */

/**
 * The numbers of a kernel, or of one of its builds that did not ship, as list items.
 *
 * @param {Kernel} kernel
 * @param {number|null} attempt
 * @param {(kernel: Kernel, name: string) => Cell} value
 * @returns {HTMLElement[]}
 */
export function factsOf(kernel, attempt, value) {
  /** @type {HTMLElement[]} */ const found = [];
  /** @param {string} text @param {string|null} [look] @param {string|null} [title] */
  const add = (text, look = null, title = null) => found.push(h("li", { class: look, title, text }));
  const get = (/** @type {string} */ column) => value(kernel, column);
  const tried = attempt === null ? null : kernel.attempts[attempt];
  const simd = tried ? tried.simd : get("simd");
  const grf = tried ? tried.grf : get("grf");
  const spill = tried ? tried.spill_bytes : get("spill_bytes");
  if (simd !== null) add(`SIMD${simd}`);
  if (grf !== null) add(`${grf} GRF`);
  if (!tried && get("threads_per_eu") !== null) add(`${get("threads_per_eu")} threads/EU`);
  if (typeof spill === "number" && spill > 0) {
    const lane = typeof simd === "number" && simd > 0 ? `, ${number.format(Math.round((spill / (4 * simd)) * 10) / 10)} dwords/lane` : "";
    add(`spills ${number.format(spill)} B/thread${lane}`, "xa-bad");
  } else if (spill === 0) add("no spill", "xa-good");
  if (tried) return found;
  if (get("registers") !== null) add(`${get("registers")} registers`);
  if (Number(get("slm_bytes")) > 0) add(`${cellText(get("slm_bytes"))} B SLM`);
  if (get("instructions") !== null) add(counted(Number(get("instructions")), "instruction"));
  if (kernel.coverage !== null) {
    add(`${Math.floor(100 * kernel.coverage)} % linked`, null, "Instructions that link to a line of another stage; the prolog's have none");
  }
  if (get("isa_bytes") !== null) add(`${cellText(get("isa_bytes"))} B code`);
  if (get("match") !== null) add(`match: ${get("match")}`);
  const launches = get("launches");
  if (launches !== null) add(Number(launches) > 0 ? `${cellText(launches)} ${launches === 1 ? "launch" : "launches"}` : "compiled only");
  return found;
}

/** A fusion's operators, and the user's lines that they are of. @param {Kernel} kernel @returns {(Node|string)[]} */
export function originOf({ origin }) {
  if (!origin?.ops.length) return [];
  const ops = origin.ops.flatMap((op, index) => [index ? ", " : "", h("code", { text: visible(op) })]);
  return ["fuses ", ...ops, origin.lines.length ? ` from ${origin.lines.map(visible).join(", ")}` : ""];
}
