// @ts-check
/** Two codes side by side: what differs first, with what is between folded. */

import { h, visible } from "./dom.js";
import { compareFolds, compareLines } from "./comparelines.js";
import { ROW, listingRows } from "./rows.js";
/** @import { Code, Comparison, Host, Listing, Spans } from "./types.js" */
/** @import { CompareLines } from "./comparelines.js" */

/** @typedef {{view: HTMLElement, sizer: HTMLElement, title: HTMLElement, rows: any}} Side */

/** @param {Host} host @param {() => void} closed  the reader has seen enough */
export function compareView(host, closed) {
  const summary = h("p", { class: "xa-compare-summary", role: "status" });
  const stages = h("select", { class: "xa-select", "aria-label": "Stage" });
  const where = h("span", { class: "xa-count", role: "status" });
  const previous = h("button", { class: "xa-button", type: "button", text: "↑", "aria-label": "Previous change", title: "Previous change   [", on: { click: () => step(-1) } });
  const next = h("button", { class: "xa-button", type: "button", text: "↓", "aria-label": "Next change", title: "Next change   ]", on: { click: () => step(1) } });
  const all = h("button", { class: "xa-button", type: "button", text: "All lines", "aria-pressed": "false", title: "Also those that do not differ   Z", on: { click: toggleAll } });
  const close = h("button", { class: "xa-button", type: "button", text: "Close", title: "Back to the kernel   Esc", on: { click: leave } });
  const bar = h("div", { class: "xa-bar xa-compare-bar" }, stages, where, h("span", { class: "xa-space" }), previous, next, all, close);
  const body = h("div", { class: "xa-compare-body" });
  const element = h("section", { class: "xa-compare", "aria-label": "Comparison", hidden: true }, summary, bar, body);
  /** @type {[Code, Code]|null} */ let codes = null;
  /** @type {CompareLines|null} */ let lines = null;
  /** @type {ReturnType<typeof compareFolds>|null} */ let folds = null;
  /** @type {Side[]} */ let sides = [];
  let chosen = -1; // the change that is looked at
  let asked = 0;

  function hide() {
    asked++;
    element.hidden = true;
    clear();
    codes = null;
  }

  function leave() {
    hide();
    closed();
  }

  function clear() {
    for (const { rows } of sides) rows.destroy();
    sides = [];
    lines = folds = null;
    body.replaceChildren();
  }

  /** @param {string} stage */
  async function ask(stage) {
    if (!codes) return;
    const mine = ++asked;
    summary.textContent = "Comparing …";
    clear();
    bar.hidden = true;
    try {
      const [a, b] = codes;
      /** @type {Comparison} */ const answer = await host.request("compare", { a, b, stage });
      if (mine !== asked) return;
      draw(answer);
    } catch (error) {
      if (mine !== asked) return;
      bar.hidden = false;
      summary.textContent = visible(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {Comparison} answer */
  function draw(answer) {
    bar.hidden = false;
    summary.textContent = visible(answer.summary);
    stages.replaceChildren(...answer.stages.map((one) => h("option", { value: one.name, text: one.title })));
    stages.value = answer.stage;
    const made = (lines = compareLines(answer));
    folds = compareFolds(made);
    sides = [side(answer, made, 0), side(answer, made, 1)];
    body.replaceChildren(...sides.map(({ title, view }) => h("div", { class: "xa-compare-side" }, title, view)));
    const longest = made.shown.flat().reduce((most, line) => Math.max(most, line.length), 0);
    for (const { sizer } of sides) sizer.style.minWidth = `calc(${Math.min(longest, 2000)}ch + var(--xa-gutter))`;
    resize();
    previous.disabled = next.disabled = made.heads.length === 0;
    all.hidden = made.stretches.size === 0;
    all.setAttribute("aria-pressed", "false");
    chosen = -1;
    if (made.heads.length) step(1);
    else where.textContent = "no change but names";
    sides[1].view.focus({ preventScroll: true });
  }

  /** @param {Comparison} answer @param {CompareLines} made @param {0|1} which @returns {Side} */
  function side(answer, made, which) {
    const label = `${which ? "B" : "A"}: ${visible(answer.labels[which])}`;
    const sizer = h("div", { class: "xa-sizer" });
    const view = h("div", { class: "xa-code", tabindex: "0", role: "region", "aria-label": label }, sizer);
    sizer.style.setProperty("--xa-gutter", `${made.width + 2}ch`);
    const rows = listingRows(view, sizer, /** @type {any} */ (folds), colours(answer, made, which), {
      selected: () => null,
      mark(row, line) {
        const kind = made.kind[line];
        row.className = `xa-row xa-is-${kind}`;
        if (kind !== "head" && kind !== "fold" && made.at[which][line] < 0) row.classList.add("xa-absent");
        row.classList.toggle("xa-current", line === made.heads[chosen]);
        row.dataset.gutter = made.gutter(which, line).padStart(made.width);
      },
      aside(line) {
        const stretch = made.stretches.get(line);
        if (!stretch || which === 1) return null;
        return h("button", { class: "xa-unfold", type: "button", "aria-expanded": String(stretch.open), text: made.words(stretch), on: { click: () => toggle(line) } });
      },
      beyond: () => null,
      drawn() {},
    });
    rows.set(/** @type {Listing} */ ({ text: "", chunk: answer.chunk, files: [], locs: [], calls: [], ids: [], pcs: [] }), made.shown[which]);
    view.addEventListener("scroll", () => {
      rows.schedule();
      const other = sides[1 - which]?.view;
      if (!other) return;
      if (other.scrollTop !== view.scrollTop) other.scrollTop = view.scrollTop;
      if (other.scrollLeft !== view.scrollLeft) other.scrollLeft = view.scrollLeft;
    }, { passive: true });
    return { view, sizer, rows, title: h("h4", { class: "xa-compare-label", text: label, title: label }) };
  }

  /** Of lines that are shown, from the listing's own. @param {Comparison} answer @param {CompareLines} made @param {0|1} which */
  function colours(answer, made, which) {
    /** @type {Map<number, Promise<Spans>>} */ const chunks = new Map();
    const code = /** @type {[Code, Code]} */ (codes)[which];
    /** @param {number} chunk */
    const chunkOf = (chunk) => {
      let found = chunks.get(chunk);
      if (!found) chunks.set(chunk, (found = host.request("spans", { ...code, stage: answer.stage, start: chunk * answer.chunk })));
      return found;
    };
    return async (/** @type {number} */ start) => {
      const places = made.at[which].slice(start, start + answer.chunk);
      const numbers = [...new Set(places.filter((line) => line >= 0).map((line) => Math.floor(line / answer.chunk)))];
      const spans = new Map(await Promise.all(numbers.map(async (chunk) => /** @type {[number, Spans]} */ ([chunk, await chunkOf(chunk)]))));
      const classes = [""];
      const lines = places.map((line) => {
        const found = line < 0 ? undefined : spans.get(Math.floor(line / answer.chunk));
        const runs = found?.lines[line - found.start] ?? [];
        return runs.map((part, i) => {
          if (i % 2 === 0 || !found) return part;
          const css = found.classes[part];
          const known = classes.indexOf(css);
          return known >= 0 ? known : classes.push(css) - 1;
        });
      });
      return { start, classes, lines };
    };
  }

  function resize() {
    for (const { sizer, rows } of sides) {
      sizer.style.height = `${/** @type {any} */ (folds).count * ROW}px`;
      rows.draw();
    }
  }

  /** @param {number} line @param {() => void} change  what is folded */
  function keeping(line, change) {
    const after = sides.map(({ rows }) => rows.arrange(line));
    change();
    folds?.arrange();
    for (const act of after) act();
  }

  /** @param {number} line  of a stretch's heading */
  function toggle(line) {
    const stretch = lines?.stretches.get(line);
    if (!stretch) return;
    keeping(line, () => {
      stretch.open = !stretch.open;
    });
    sides[0].rows.shown.get(line)?.querySelector("button")?.focus({ preventScroll: true });
  }

  function toggleAll() {
    if (!lines) return;
    const open = all.getAttribute("aria-pressed") !== "true";
    const { stretches, heads } = lines;
    keeping(chosen >= 0 ? heads[chosen] : -1, () => {
      for (const stretch of stretches.values()) stretch.open = open;
    });
    all.setAttribute("aria-pressed", String(open));
  }

  /** @param {1|-1} by */
  function step(by) {
    if (!lines?.heads.length || !folds) return;
    chosen = Math.max(0, Math.min(lines.heads.length - 1, chosen + by));
    const top = Math.max(0, (folds.rowAt(lines.heads[chosen]) - 1) * ROW);
    for (const { view, rows } of sides) {
      view.scrollTop = top;
      rows.remark();
      rows.schedule();
    }
    where.textContent = `change ${chosen + 1} of ${lines.heads.length}`;
  }

  stages.addEventListener("change", () => ask(stages.value));
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") leave();
    else if (event.target === stages) return event.stopPropagation();
    else if (event.key === "]") step(1);
    else if (event.key === "[") step(-1);
    else if (event.key === "Z") toggleAll();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    /** @param {Code} a @param {Code} b @param {string} stage  that is wanted; another where they lack it */
    show(a, b, stage) {
      codes = [a, b];
      element.hidden = false;
      return ask(stage);
    },
    hide,
    destroy() {
      asked++;
      clear();
    },
  };
}
