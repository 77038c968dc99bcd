// @ts-check
/** The address of a report leads to what is read: kernel, build, stage, line. Nothing of one is trusted. */

/** @import { Kernel } from "./types.js" */

/** @typedef {{kernel: string, build: string, stage: string, line: number|null}} Address  `build`: empty: the one that ships; `line`: from 0; NaN: it is none */

/** What an address calls the builds that did not ship. @param {Kernel} kernel */
export function buildNames({ attempts }) {
  const labels = attempts.map((one) => one.label);
  return labels.map((label, index) => (labels.indexOf(label) === index ? label : `${label} (${index + 1})`));
}

/** @param {Address} address */
export function addressText({ kernel, build, stage, line }) {
  const parts = { kernel, ...(build ? { build } : {}), stage, ...(line === null ? {} : { line: String(line + 1) }) };
  return `#${new URLSearchParams(parts)}`;
}

/** @param {string} hash @returns {Address} */
export function addressOf(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const line = parts.get("line");
  return {
    kernel: parts.get("kernel") ?? "",
    build: parts.get("build") ?? "",
    stage: parts.get("stage") ?? "",
    line: line === null ? null : /^[1-9]\d{0,8}$/.test(line) ? Number(line) - 1 : NaN,
  };
}
