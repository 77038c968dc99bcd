// @ts-check
/** The cells of a kernel's row. */

import { cellText, counted, h, number, visible } from "./dom.js";
import { worst } from "./groups.js";
import { MARKS } from "./notes.js";
/** @import { Cell, Column, Kernel } from "./types.js" */
/** @import { CellOf, Group } from "./groups.js" */

const BADGES = {
  pointwise: "poi", persistent_reduction: "per", reduction: "red", template: "tem",
  foreach: "for", user: "usr", sycl: "sycl", other: "oth",
};

/**
 * @typedef {object} Row
 * @property {Group} group  `others`: what is folded under it, open or not; of a config inside a group: none
 * @property {boolean} open
 * @property {number} level  2: a config inside a group
 * @property {boolean} badge  its family is to be told: it stands under no heading
 * @property {number} among  how many configs the kernel has in the capture
 * @property {{telling: string, rest: string}} settings
 */

/** @param {Row} row @param {Column} column @param {CellOf} value */
export function kernelCell(row, column, value) {
  const { kernel } = row.group;
  if (column.name === "name") return nameCell(row, value);
  const raw = value(kernel, column.name);
  if (column.name === "config") return configCell(row, raw);
  const classes = [column.numeric ? "xa-number" : null, raw === null ? "xa-missing" : null, raw === 0 ? "xa-zero" : null];
  let text = visible(cellText(raw));
  let title = raw === null ? "not known" : null;
  const most = row.open ? null : worst(row.group, column.name, value);
  if (most !== null) {
    title = `this config: ${text}; the worst of ${counted(row.group.others.length + 1, "config")}: ${number.format(most)}`;
    text = `${text} … ${number.format(most)}`;
    classes.push("xa-bad");
  }
  if (/^spill_/.test(column.name) && typeof raw === "number" && raw > 0) classes.push("xa-bad");
  if (column.name === "status") {
    const undone = row.open ? [] : row.group.others.filter((other) => value(other, "status") !== "ok");
    if (isBad(raw) || undone.some((other) => isBad(value(other, "status")))) classes.push("xa-bad");
    if (raw === "compiling") text = "compiling…";
    if (undone.length) text += `, ${undone.length} ${new Set(undone.map((other) => value(other, "status"))).size === 1 ? value(undone[0], "status") : "not ok"}`;
  }
  if (column.name === "match" && (raw === "ambiguous" || raw === "none" || raw === "name")) classes.push("xa-doubt");
  return h("td", { class: classes.filter(Boolean).join(" ") || null, title, text });
}

/** @param {Cell} status */
const isBad = (status) => status !== null && status !== "ok" && status !== "compiling";

/** What tells the kernel from its siblings, then the rest. @param {Row} row @param {Cell} raw */
function configCell(row, raw) {
  const { telling, rest } = row.settings;
  return h("td", { class: "xa-config", title: raw === null ? "not known" : visible(String(raw)) },
    raw === null ? "–" : null,
    telling ? h("span", { class: "xa-telling", text: visible(telling) }) : null,
    telling && rest ? " " : null,
    rest ? visible(rest) : null);
}

/** @param {Row} row @param {CellOf} value */
function nameCell(row, value) {
  const { kernel, others } = row.group;
  const text = visible(cellText(value(kernel, "name")));
  // The end of a long name tells kernels apart, so the middle gives way.
  const cut = Math.max(0, text.length - 8);
  const measured = value(kernel, "winner") !== null;
  const many = counted(others.length + 1, "config");
  const whole = others.length + 1 < row.among ? `${others.length + 1} of ${counted(row.among, "config")}` : many;
  return h(
    "th", { scope: "row", class: "xa-name", title: text },
    h("span", { class: "xa-inner" },
      others.length
        ? h("button", { class: "xa-fold", type: "button", tabindex: "-1", "aria-label": `${row.open ? "Fold" : "Show"} ${many}`, title: `${row.open ? "Fold   ←" : "Show   →"}`, text: row.open ? "▾" : "▸" })
        : h("span", { class: "xa-fold", "aria-hidden": "true" }),
      row.badge ? h("span", { class: `xa-badge xa-${kernel.family}`, "aria-hidden": "true", text: BADGES[/** @type {keyof typeof BADGES} */ (kernel.family)] ?? "oth" }) : null,
      h("span", { class: "xa-label" }, h("span", { class: "xa-start", text: text.slice(0, cut) }), h("span", { class: "xa-end", text: text.slice(cut) })),
      others.length
        ? h("span", { class: "xa-configs", title: measured ? `the fastest of ${whole}, as the autotuner measured` : `${whole}, none measured: this row is the first of them` },
            whole.replace(/ configs$/, ""), h("span", { class: "xa-word", text: " configs" }), measured ? null : h("span", { class: "xa-unmeasured", text: ", none measured" }))
        : null,
      markOf([kernel, ...(row.open ? [] : others)], value)),
  );
}

/** The gravest thing to be said of a row and of what is folded under it. @param {Kernel[]} kernels @param {CellOf} value */
function markOf(kernels, value) {
  let gravest = "";
  const told = [];
  for (const [index, kernel] of kernels.entries()) {
    const whose = index ? `${visible(String(value(kernel, "config") ?? "other config"))}: ` : "";
    const status = value(kernel, "status");
    const said = kernel.notes.filter((note) => note.severity !== "info");
    const spill = index ? Number(value(kernel, "spill_bytes") ?? 0) : 0;
    if (isBad(status)) {
      gravest = "error";
      told.push(`${whose}${status}`);
    }
    if (spill > 0) {
      gravest ||= "warning";
      told.push(`${whose}spills ${number.format(spill)} B`);
    }
    for (const note of said) {
      if (note.severity === "error" || !gravest) gravest = note.severity;
      told.push(`${whose}${visible(note.message)}`);
    }
  }
  if (!gravest) return null;
  const words = told.slice(0, 12).join("\n") + (told.length > 12 ? `\nand ${told.length - 12} more` : "");
  return h("span", { class: `xa-mark xa-${gravest}`, role: "img", title: words, "aria-label": `${gravest}: ${words}`, text: MARKS[/** @type {keyof typeof MARKS} */ (gravest)] });
}
