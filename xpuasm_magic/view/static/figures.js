// @ts-check
/** What the analyses say of the chosen kernel: facts, the mix of its instructions, notes that an expert would write. */

import { counted, h, number, visible } from "./dom.js";
import { MARKS } from "./notes.js";
import { whenIdle } from "./stage.js";
/** @import { Advice, Analysis, Host } from "./types.js" */

const AGAIN_MS = 250;
const MOST_NOTES = 2; // that are open at once
const MOST_LINES = 3; // links of one note
const MOST_CLASSES = 5; // in the legend

/** @param {Host} host @param {(line: number) => void} goto  a line of the ISA @param {(analysis: Analysis|null) => void} known */
export function figuresBox(host, goto, known) {
  const facts = h("ul", { class: "xa-facts xa-figure-facts", "aria-label": "Figures" });
  const mix = h("div", { class: "xa-mix-box" });
  const notes = h("div", { class: "xa-advice", role: "group", "aria-label": "Advice" });
  const element = h("div", { class: "xa-figures", hidden: true }, h("div", { class: "xa-figure-line" }, facts, mix), notes);
  let asked = 0;
  /** @type {any} */ let timer = null;

  /** @param {string} kernel @param {number|null} attempt */
  async function ask(kernel, attempt) {
    const mine = asked;
    try {
      let answer = await host.request("analysis", { kernel, attempt });
      while (answer.pending && mine === asked) {
        await new Promise((done) => (timer = setTimeout(done, AGAIN_MS)));
        answer = await host.request("analysis", { kernel, attempt });
      }
      if (mine === asked) draw(answer);
    } catch {
      // The listing itself says what is wrong with it.
    }
  }

  /** @param {Analysis} analysis */
  function draw(analysis) {
    facts.replaceChildren(...analysis.facts.map(({ text, tooltip, line }) => h("li", { title: line === null ? tooltip : null }, line === null ? visible(text) : link(visible(text), line, tooltip))));
    mix.replaceChildren(...mixBar(analysis));
    notes.replaceChildren(...notesOf(analysis.advice));
    notes.hidden = analysis.advice.length === 0;
    element.hidden = false;
    known(analysis);
  }

  /** @param {string} text @param {number} line @param {string} title */
  const link = (text, line, title) => h("button", { class: "xa-link", type: "button", text, title, on: { click: () => goto(line) } });

  /** @param {Advice[]} advice */
  function notesOf(advice) {
    const items = advice.map(({ severity, text, lines }) =>
      h("li", { class: `xa-note xa-${severity}` },
        h("span", { class: "xa-mark", role: "img", "aria-label": severity, text: MARKS[severity] ?? "i" }),
        h("span", { class: "xa-note-text" }, visible(text),
          ...lines.slice(0, MOST_LINES).flatMap((line) => [" ", link(`ISA ${line + 1}`, line, `Line ${line + 1} of the ISA`)]),
          lines.length > MOST_LINES ? h("span", { class: "xa-count", text: ` and ${counted(lines.length - MOST_LINES, "more line")}, x steps through them` }) : null)));
    const open = items.length <= MOST_NOTES + 1 ? items.length : MOST_NOTES;
    const rest = items.slice(open);
    return [h("ul", {}, ...items.slice(0, open)), rest.length ? h("details", {}, h("summary", { text: counted(rest.length, "more note") }), h("ul", {}, ...rest)) : null].filter(Boolean);
  }

  return {
    element,
    /** @param {string} kernel @param {number|null} attempt @param {boolean} there  it has machine code */
    show(kernel, attempt, there) {
      asked++;
      clearTimeout(timer);
      element.hidden = true;
      known(null);
      if (!there) return;
      const mine = asked;
      whenIdle(() => mine === asked && ask(kernel, attempt));
    },
    destroy() {
      asked++;
      clearTimeout(timer);
    },
  };
}

/** @param {Analysis} analysis @returns {HTMLElement[]} */
function mixBar({ mix }) {
  const total = mix.reduce((sum, { count }) => sum + count, 0);
  if (!total) return [];
  const share = (/** @type {number} */ count) => `${((100 * count) / total).toFixed(count * 100 < total ? 1 : 0)} %`;
  const sorted = [...mix].sort((a, b) => b.count - a.count);
  const words = (/** @type {typeof mix[number]} */ one) => `${one.title}: ${number.format(one.count)} of ${number.format(total)} instructions${one.innermost ? `, ${number.format(one.innermost)} in innermost loops` : ""}`;
  const kind = (/** @type {string} */ title) => title.replace(/\W+/g, "-").toLowerCase();
  const bar = h("div", { class: "xa-mix", role: "img", "aria-label": `Instructions: ${sorted.map((one) => `${one.title} ${share(one.count)}`).join(", ")}` },
    ...sorted.map((one) => {
      const part = h("i", { title: words(one), "data-class": kind(one.title) });
      part.style.flexGrow = String(one.count);
      return part;
    }));
  const legend = h("ul", { class: "xa-legend" }, ...sorted.slice(0, MOST_CLASSES).map((one) => h("li", { title: words(one) }, h("i", { "data-class": kind(one.title), "aria-hidden": "true" }), `${one.title} ${share(one.count)}`)));
  return [bar, legend];
}
