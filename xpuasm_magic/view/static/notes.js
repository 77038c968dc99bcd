// @ts-check
/** What the reader should know of a capture or a kernel. */

import { counted, h, visible } from "./dom.js";
/** @import { Note } from "./types.js" */

export const MARKS = { info: "i", warning: "!", error: "×" };

/** @param {Note[]} notes @param {number} most  how many are open at once */
export function notesView(notes, most) {
  const rank = { error: 0, warning: 1, info: 2 };
  const sorted = [...notes].sort((a, b) => rank[a.severity] - rank[b.severity]);
  const item = (/** @type {Note} */ note) =>
    h(
      "li",
      { class: `xa-note xa-${note.severity}` },
      h("span", { class: "xa-mark", "aria-label": note.severity, text: MARKS[note.severity] ?? "i" }),
      h("span", { class: "xa-note-text" }, visible(note.message), note.path ? h("code", { text: ` ${visible(note.path)}` }) : null),
    );
  const box = h("div", { class: "xa-notes", role: "status" }, h("ul", {}, ...sorted.slice(0, most).map(item)));
  if (sorted.length > most) {
    box.append(
      h("details", {}, h("summary", { text: `${counted(sorted.length - most, "more note")}` }), h("ul", {}, ...sorted.slice(most).map(item))),
    );
  }
  box.hidden = notes.length === 0;
  return box;
}
