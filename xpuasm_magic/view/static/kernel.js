// @ts-check
/** The chosen kernel: its facts and its panes. */

import { buildNames } from "./address.js";
import { acknowledge, copy, counted, h, renew, visible } from "./dom.js";
import { compareView } from "./compare.js";
import { paneDivider } from "./divider.js";
import { factsOf, originOf } from "./facts.js";
import { figuresBox } from "./figures.js";
import { linkedLines } from "./links.js";
import { notesView } from "./notes.js";
import { otherCodes } from "./others.js";
import { placeName } from "./places.js";
import { helpBox } from "./help.js";
import { stagePane } from "./stage.js";
import { whatIfPanel } from "./whatif.js";
/** @import { Analysis, Cell, Code, Kernel, Host } from "./types.js" */
/** @import { Shared } from "./stage.js" */

/** @typedef {{stage: string, line?: number|null, text?: string, build?: string}} Target  of the chosen kernel; `text`: what was looked for */

const REMEMBERED = "xpuasm-panes";
const TWO_PANES_FROM = 1400; // pixels: from here on two panes are shown at first

/** What the reader had last time; a page from a file, or a strict browser, remembers nothing. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {object} layout */
function remember(layout) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(layout));
  } catch {
    // It is a comfort only.
  }
}

/**
 * @param {Host} host
 * @param {(kernel: Kernel, name: string) => Cell} value
 * @param {(stage: string, line: number|null, build: string) => void} moved  the reader looks at a line, or at another build
 */
export function kernelPane(host, value, moved) {
  const name = h("h3", { class: "xa-title" });
  const facts = h("ul", { class: "xa-facts", "aria-label": "Facts" });
  const origin = h("p", { class: "xa-origin" });
  const attempts = h("select", { class: "xa-select", "aria-label": "Which build" });
  const where = h("span", { class: "xa-where", role: "status" });
  const followButton = h("button", { class: "xa-button", type: "button", text: "Follow", title: "Scroll the other panes to the lines that belong to the chosen one" });
  const counts = [1, 2, 3].map((count) =>
    h("button", { class: "xa-button", type: "button", text: String(count), "aria-label": counted(count, "pane"), title: counted(count, "pane"), on: { click: () => arrange(count) } }),
  );
  const layoutBox = h("div", { class: "xa-layout", role: "group", "aria-label": "Panes side by side" }, ...counts);
  const linkButton = h("button", { class: "xa-button", type: "button", text: "Copy link" });
  const whatIfButton = h("button", { class: "xa-button", type: "button", text: "What if", "aria-expanded": "false", title: "Another device, GRF mode, compiler or number of warps   w", on: { click: () => askWhatIf(whatIf.element.hidden) } });
  const others = otherCodes(host, value, (other) => kernel && compare({ kernel: kernel.id, attempt, matrix: null }, other));
  const messages = h("div", { class: "xa-messages" });
  const split = h("div", { class: "xa-split" });
  const help = helpBox();
  const head = h("div", { class: "xa-head" }, h("div", { class: "xa-head-text" }, name, facts, origin), h("div", { class: "xa-controls" }, where, attempts, whatIfButton, others.element, linkButton, followButton, layoutBox));
  const figures = figuresBox(host, gotoIsa, (found) => {
    analysis = found;
    annotate();
  });
  const compared = compareView(host, () => {
    split.hidden = false;
    panes[0]?.focus();
  });
  const whatIf = whatIfPanel(host, compare, () => {
    whatIfButton.setAttribute("aria-expanded", "false");
    whatIfButton.focus();
  });
  const pane = h("section", { class: "xa-pane", "aria-label": "Kernel" }, head, figures.element, messages, whatIf.element, compared.element, split, help.element);
  whatIfButton.hidden = host.kind !== "notebook"; // a report has no compilers, and nobody who compares

  /** @type {Kernel|null} */ let kernel = null;
  /** @type {number|null} */ let attempt = null;
  let turn = 0; // every choice of a kernel, a build or a comparison: what waits for an earlier one gives up
  const layout = { count: 0, stages: ["isa", "python", "ttgir"], widths: [1, 1, 1], follow: true, ...remembered() };
  /** @type {ReturnType<typeof stagePane>[]} */ let panes = [];
  /** @type {{from: any, line: number}|null} */ let chosen = null;
  /** @type {Analysis|null} */ let analysis = null;

  const stages = () => (attempt === null ? kernel?.stages : kernel?.attempts[attempt]?.stages) ?? [];
  const shared = /** @type {Shared} */ ({
    host,
    kernel: () => kernel,
    attempt: () => attempt,
    stages,
    help,
    linked,
    /** @param {any} pane */
    changed(pane) {
      keep();
      if (pane === chosen?.from) chosen = null;
      else if (chosen && panes.includes(chosen.from)) linked(chosen.from, chosen.line, true); // the newly shown lights up too
    },
    get name() {
      return kernel ? visible(String(value(kernel, "name") ?? kernel.id)) : "";
    },
  });

  function annotate() {
    for (const one of panes) one.code.annotate(one.stage === "isa" && one.shown ? analysis : null);
  }

  function keep() {
    annotate();
    for (const [index, one] of panes.entries()) layout.stages[index] = one.choice;
    remember(layout);
  }

  /** Lights up, in every pane, what belongs to a line of one. @param {any} from @param {number|null} line @param {boolean} firmly */
  function linked(from, line, firmly) {
    const { shown } = from;
    if (firmly) chosen = line === null ? null : { from, line };
    let total = 0;
    for (const one of panes) {
      const found = line === null || !shown || !one.shown ? [] : one === from ? [line] : linkedLines(shown, line, one.shown);
      one.code.light(found, firmly);
      if (one !== from) {
        total += found.length;
        if (layout.follow && firmly) one.code.bring(found);
      }
    }
    if (line === null || !shown) return;
    if (firmly) moved(from.stage, line, buildName());
    const source = shown.place(line);
    const beside = from.code.beside(line);
    where.textContent = [source ? placeName(source, host.capture().cells) : "no source line", panes.length > 1 ? counted(total, "linked line") : "", beside].filter(Boolean).join(" · ");
    where.title = source ? visible(source) : "";
  }

  /** Of the build that is shown; empty: the one that ships. */
  const buildName = () => (kernel && attempt !== null ? buildNames(kernel)[attempt] : "");

  /** @param {number} count  panes side by side */
  function arrange(count) {
    layout.count = count;
    // What stays is not touched: an element that is put in anew forgets where it was scrolled to.
    while (panes.length > count) {
      /** @type {any} */ (panes.pop()).destroy();
      split.lastChild?.remove();
      if (panes.length) split.lastChild?.remove();
    }
    while (panes.length < count) {
      const index = panes.length;
      const one = stagePane(shared, layout.stages[index] ?? "isa");
      one.element.style.flexGrow = String(layout.widths[index]);
      one.element.setAttribute("aria-label", `Pane ${index + 1}`);
      panes.push(one);
      split.append(...(index ? [paneDivider(() => [panes[index - 1].element, panes[index].element], layout.widths, index, () => remember(layout)), one.element] : [one.element]));
      if (kernel) one.open();
    }
    split.dataset.count = String(count);
    counts.forEach((button, index) => button.setAttribute("aria-pressed", String(index + 1 === count)));
    followButton.hidden = count === 1;
    remember(layout);
  }

  /** @param {boolean} [same]  a newer state of what was shown */
  function drawHead(same = false) {
    if (!kernel) return;
    name.textContent = visible(String(value(kernel, "name") ?? kernel.id));
    const config = value(kernel, "config");
    if (config) name.append(h("span", { class: "xa-title-config", text: ` ${visible(String(config))}` }));
    facts.replaceChildren(...factsOf(kernel, attempt, value));
    origin.replaceChildren(...originOf(kernel));
    origin.hidden = !origin.hasChildNodes();
    attempts.hidden = kernel.attempts.length === 0;
    attempts.replaceChildren(
      h("option", { value: "", text: kernel.attempts.some((one) => one.launched) ? "Build by the loader's rule" : "Shipped build" }),
      ...kernel.attempts.map((one, index) => h("option", { value: index, text: `${one.launched ? "Launched by this triton-xpu" : "Rejected"}: ${visible(one.label)}` })),
    );
    attempts.value = attempt === null ? "" : String(attempt);
    const found = [];
    if (attempt !== null) {
      const { label, reason, status, launched } = kernel.attempts[attempt];
      const role = launched ? "what the installed triton-xpu launches, against its own rule" : "not the kernel that runs";
      found.push(notesView([{ severity: "info", message: `${label}${status === "ok" ? "" : ` (${status})`}, ${role}: ${reason}`, path: null }], 1));
    } else {
      if (kernel.notes.length) found.push(notesView(kernel.notes, 3));
      if (kernel.error) found.push(h("pre", { class: "xa-error-text", tabindex: "0", "aria-label": "Compiler's message", text: visible(kernel.error) }));
      if (kernel.repro) {
        const { repro } = kernel;
        const button = h("button", { class: "xa-button", type: "button", text: "Copy", "aria-label": "Copy the command", on: { click: () => copy(repro).then(() => acknowledge(button, "Copied")) } });
        if (kernel.error) found.push(h("div", { class: "xa-repro" }, h("span", { text: "Repeat with" }), h("code", { text: visible(repro) }), button));
      }
    }
    if (same) renew(messages, ...found);
    else messages.replaceChildren(...found);
    others.show(kernel, attempt);
  }

  /** In the pane that has it, else in the first. @param {number} line */
  async function gotoIsa(line) {
    const mine = ++turn;
    compared.hide();
    split.hidden = false;
    const shows = (/** @type {any} */ one) => one.stage === "isa" && one.shown;
    if (!panes.some(shows)) await panes[0].open("isa");
    if (mine !== turn) return;
    const pane = panes.find(shows);
    pane?.code.go(line);
    pane?.focus();
  }

  /** @param {Code} a @param {Code} b */
  function compare(a, b) {
    turn++;
    split.hidden = true;
    return compared.show(a, b, panes[0]?.stage || "isa");
  }

  /** @param {boolean} open */
  function askWhatIf(open) {
    if (whatIfButton.hidden || !kernel) return;
    if (!open) return whatIf.leave();
    whatIfButton.setAttribute("aria-expanded", "true");
    whatIf.show(kernel.id);
  }

  /** @param {string} [wanted]  stage of the first pane @returns {Promise<boolean>} it is there, and nothing else was chosen meanwhile */
  async function open(wanted) {
    const mine = ++turn;
    compared.hide();
    split.hidden = false;
    drawHead();
    figures.show(kernel?.id ?? "", attempt, stages().some((one) => one.name === "isa"));
    where.textContent = "";
    // A kernel without listings says so once.
    for (const one of panes.slice(1)) one.element.hidden = stages().length === 0;
    const [first] = panes.map((one, index) => one.open(index === 0 ? wanted : undefined));
    return (await first) && mine === turn;
  }

  pane.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {HTMLElement} */ (event.target).matches("input, select, textarea")) return;
    if (event.key === "w" && !whatIfButton.hidden) {
      askWhatIf(true);
      whatIf.focus();
    } else if (event.key === "d" && !others.element.hidden) others.element.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  attempts.addEventListener("change", () => {
    attempt = attempts.value === "" ? null : Number(attempts.value);
    open();
    moved(panes[0].stage, null, buildName());
  });
  attempts.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  followButton.setAttribute("aria-pressed", String(layout.follow));
  followButton.addEventListener("click", () => {
    layout.follow = !layout.follow;
    followButton.setAttribute("aria-pressed", String(layout.follow));
    remember(layout);
  });
  linkButton.hidden = host.kind !== "page";
  linkButton.addEventListener("click", () => copy(location.href).then(() => acknowledge(linkButton, "Copied")));

  return {
    element: pane,
    /** In the page, when its width is known. */
    start() {
      const width = pane.clientWidth;
      const most = width >= 1000 ? 3 : width >= 700 ? 2 : 1;
      arrange(Math.min(layout.count || (width >= TWO_PANES_FROM ? 2 : 1), most));
    },
    /** @param {Kernel|null} next */
    show(next) {
      const same = next !== null && next.id === kernel?.id;
      pane.hidden = next === null;
      // A newer state of the same kernel: a listing that is being read stays where it is.
      if (same && JSON.stringify(next) === JSON.stringify(kernel)) return;
      const before = buildName();
      kernel = next;
      if (same && buildName() === before) {
        drawHead(true);
        for (const one of panes.slice(1)) one.element.hidden = stages().length === 0;
        for (const one of panes) one.refresh();
        return;
      }
      const kept = same ? buildNames(next).indexOf(before) : -1;
      attempt = kept < 0 ? null : kept;
      if (next) whatIf.follow(next.id);
      open();
    },
    /** @param {Target} target @returns {Promise<boolean>} false: something else was chosen meanwhile */
    async goto({ stage, line = null, text = "", build = "" }) {
      if (!kernel) return false;
      const found = build ? buildNames(kernel).indexOf(build) : -1;
      attempt = found < 0 ? null : found;
      const opened = open(stage || undefined);
      const lost = (/** @type {string} */ what) => messages.prepend(notesView([{ severity: "warning", message: `${what}: no line is chosen.`, path: null }], 1));
      const strange = build && found < 0 ? `This kernel has no build “${build}”, shown is the one that ships` : stage && !stages().some((one) => one.name === stage) ? `There is no stage “${stage}” here` : "";
      if (strange) lost(strange);
      if (!(await opened)) return false;
      if (strange) return true;
      const lines = panes[0].shown?.lines.length ?? 0;
      if (line !== null && !(Number.isInteger(line) && line >= 0 && line < lines)) lost("This listing has no such line");
      else {
        if (text) panes[0].look(text);
        if (line !== null) panes[0].code.go(line);
      }
      return true;
    },
    get stage() {
      return panes[0]?.stage ?? "";
    },
    focus: () => panes[0]?.focus(),
    compare,
    destroy() {
      figures.destroy();
      compared.destroy();
      whatIf.destroy();
      for (const one of panes) one.destroy();
    },
  };
}
