// @ts-check
/** What the reader should know of a capture or a kernel. */

import { counted, h, number, visible } from "./dom.js";
/** @import { Note, Severity } from "./types.js" */

export const MARKS = { info: "i", warning: "!", error: "×" };
const GRAVEST = /** @type {Severity[]} */ (["error", "warning", "info"]);
const MOST_PATHS = 3;

/** The gravest first; one line for all that say the same of several files. @param {Note[]} notes */
function merged(notes) {
  /** @type {Map<string, {severity: Severity, message: string, paths: string[]}>} */ const found = new Map();
  for (const severity of GRAVEST) {
    for (const note of notes) {
      if (note.severity !== severity) continue;
      const key = `${severity} ${note.message}`;
      const one = found.get(key) ?? { severity, message: note.message, paths: [] };
      if (note.path) one.paths.push(note.path);
      found.set(key, one);
    }
  }
  return [...found.values()];
}

/** E.g. `2 errors, 35 warnings`. @param {{severity: Severity}[]} notes */
function tally(notes) {
  return GRAVEST.map((severity) => [severity, notes.filter((note) => note.severity === severity).length])
    .filter(([, many]) => many)
    .map(([severity, many]) => (severity === "info" ? `${number.format(Number(many))} for information` : counted(Number(many), String(severity))))
    .join(", ");
}

/** @param {Note[]} notes @param {number} most  how many are open at once */
export function notesView(notes, most) {
  const all = merged(notes);
  // A single one more takes no more room than the line that would hide it.
  const open = all.length <= most + 1 ? all.length : most;
  const rest = all.slice(open);
  const item = (/** @type {ReturnType<typeof merged>[number]} */ { severity, message, paths }) =>
    h(
      "li",
      { class: `xa-note xa-${severity}` },
      h("span", { class: "xa-mark", role: "img", "aria-label": severity, text: MARKS[severity] ?? "i" }),
      h("span", { class: "xa-note-text" }, visible(message),
        ...paths.slice(0, MOST_PATHS).map((path) => h("code", { text: ` ${visible(path)}` })),
        paths.length > MOST_PATHS ? h("code", { title: visible(paths.join("\n")), text: ` and ${counted(paths.length - MOST_PATHS, "more file")}` }) : null),
    );
  const box = h("div", { class: "xa-notes", role: "status", "aria-label": "Notes" }, h("ul", {}, ...all.slice(0, open).map(item)));
  if (rest.length) {
    const gravest = rest[0].severity;
    box.append(
      h("details", {},
        h("summary", {}, h("span", { class: `xa-mark xa-${gravest}`, "aria-hidden": "true", text: MARKS[gravest] }), `${counted(rest.length, "more note")}: ${tally(rest)}`),
        h("ul", {}, ...rest.map(item))),
    );
  }
  box.hidden = notes.length === 0;
  return box;
}
