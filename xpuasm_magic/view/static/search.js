// @ts-check
/** Which kernels contain it: a search through all listings, and what it found. */

import { counted, h, number, visible } from "./dom.js";
/** @import { Capture, Found, Host, SearchSlice } from "./types.js" */

const MOST_KERNELS = 200; // shown; the others are counted

/**
 * @typedef {{kernel: string, stage: string, line: number, text: string}} Hit  `text`: what was looked for; empty: an expression
 * @param {Host} host
 * @param {{name: (id: string) => string, open: (hit: Hit, firmly: boolean) => void, only: (label: string, ids: string[]) => void, shown: (open: boolean) => void}} tell
 */
export function kernelSearch(host, tell) {
  const text = h("input", { class: "xa-filter", type: "search", placeholder: "In all kernels: dpas, load_block2d …", "aria-label": "Search in all kernels", spellcheck: "false", maxlength: 1000 });
  const stages = h("select", { class: "xa-families", "aria-label": "Stage to search" });
  const regex = h("input", { type: "checkbox" });
  const whole = h("input", { type: "checkbox" });
  const go = h("button", { class: "xa-button", type: "submit", text: "Search" });
  const stop = h("button", { class: "xa-button", type: "button", text: "Stop", hidden: true, on: { click: () => end("stopped") } });
  const only = h("button", { class: "xa-button", type: "button", text: "Show in the table", title: "Only the kernels that were found", hidden: true });
  const close = h("button", { class: "xa-button", type: "button", text: "×", "aria-label": "Close the search", title: "Back to the kernels   Esc", on: { click: () => hide() } });
  const progress = h("progress", { class: "xa-far", "aria-label": "Listings searched", max: 1, value: 0, hidden: true });
  const said = h("span", { class: "xa-count", role: "status" });
  const form = h("form", { class: "xa-tools", role: "search" }, text, stages,
    h("label", { class: "xa-check", title: "Comments, declarations and headers too; else only instructions, where a listing has them" }, whole, "whole text"),
    h("label", { class: "xa-check" }, regex, "regular expression"),
    go, stop, progress, said, h("span", { class: "xa-space" }), only, close);
  const results = h("ul", { class: "xa-results", "aria-label": "Kernels found" });
  const element = h("section", { class: "xa-search", "aria-label": "Search in all kernels", hidden: true }, form, results);

  /** @type {Capture} */ let capture = host.capture();
  let generation = 0;
  let choice = "isa"; // of the stages; empty: all. A capture that grows may not have it yet
  /** @type {Map<string, {count: number, list: any, item: any}>} */ let byKernel = new Map();
  let lines = 0;
  let several = false; // stages of what is shown
  let asked = ""; // the words of what is shown; empty: an expression
  /** @type {Map<string, number>} */ let unread = new Map();

  const titleOf = (/** @type {string} */ stage) => capture.kernels.flatMap((kernel) => kernel.stages).find((one) => one.name === stage)?.title ?? stage;

  function drawStages() {
    /** @type {Map<string, string>} */ const all = new Map();
    for (const kernel of capture.kernels) for (const stage of kernel.stages) all.set(stage.name, stage.title);
    stages.replaceChildren(...[...all].map(([name, title]) => h("option", { value: name, text: title })), h("option", { value: "", text: "All stages" }));
    stages.value = choice === "" || all.has(choice) ? choice : [...all.keys()].at(-1) ?? "";
  }

  const wanted = () => (stages.value ? [stages.value] : [...stages.options].map((option) => option.value).filter(Boolean));

  function forget() {
    generation++;
    byKernel = new Map();
    unread = new Map();
    lines = 0;
    results.replaceChildren();
    only.hidden = true;
  }

  /** @param {string} [why]  it ended before the last listing */
  function end(why) {
    generation++;
    stop.hidden = progress.hidden = true;
    go.hidden = false;
    only.hidden = byKernel.size === 0;
    tellCounts(why);
  }

  /** @param {string} [why] */
  function tellCounts(why) {
    const of = counted(capture.kernels.length, "kernel");
    said.textContent = `${why ? `${why}: ` : ""}${number.format(byKernel.size)} of ${of}${lines ? `, ${counted(lines, "line")}` : ""}`;
  }

  /** @param {Found} found */
  function add(found) {
    lines += found.count;
    let known = byKernel.get(found.kernel);
    if (!known) {
      const count = h("span", { class: "xa-result-count" });
      const list = h("div", { class: "xa-hits" });
      const item = h("li", {}, h("div", { class: "xa-result" }, h("span", { class: "xa-result-name", text: visible(tell.name(found.kernel)) }), count), list);
      known = { count: 0, list, item };
      byKernel.set(found.kernel, known);
      if (byKernel.size <= MOST_KERNELS) results.append(item);
      else if (byKernel.size === MOST_KERNELS + 1) results.append(h("li", { class: "xa-more", text: "More kernels have it; “Show in the table” shows all." }));
    }
    known.count += found.count;
    known.item.querySelector(".xa-result-count").textContent = counted(known.count, "line");
    for (const [line, words] of found.lines) {
      known.list.append(
        h("button", { class: "xa-hit", type: "button", tabindex: "-1", "data-kernel": found.kernel, "data-stage": found.stage, "data-line": line },
          h("span", { class: "xa-hit-place", text: `${several ? `${titleOf(found.stage)} ` : ""}${number.format(line + 1)}` }), h("code", { text: visible(words) })),
      );
    }
    const rest = found.count - found.lines.length;
    if (rest > 0) known.list.append(h("span", { class: "xa-hit-rest", text: `and ${counted(rest, "more line")}${several ? ` of ${titleOf(found.stage)}` : ""}` }));
    const first = hits()[0];
    if (first && ![...hits()].some((hit) => hit.tabIndex === 0)) first.tabIndex = 0;
  }

  function drawUnread() {
    for (const [message, many] of unread) {
      results.append(h("li", { class: "xa-unread xa-warning" }, h("span", { class: "xa-mark", role: "img", "aria-label": "warning", text: "!" }), h("span", { text: `${counted(many, "listing")} not searched: ${visible(message)}` })));
    }
  }

  async function search() {
    forget();
    const query = { text: text.value, regex: regex.checked, whole: whole.checked, stages: wanted() };
    if (!query.text) {
      end();
      said.textContent = "";
      return;
    }
    asked = query.regex ? "" : query.text;
    several = !stages.value;
    const mine = generation;
    go.hidden = true;
    stop.hidden = progress.hidden = false;
    progress.value = 0;
    said.textContent = "";
    try {
      for (let start = /** @type {number|null} */ (0); start !== null; ) {
        /** @type {SearchSlice} */ const slice = await host.request("search", { ...query, start });
        if (mine !== generation) return;
        slice.found.forEach(add);
        for (const { message } of slice.unread) unread.set(message, (unread.get(message) ?? 0) + 1);
        start = slice.next;
        progress.value = start === null ? 1 : start / slice.total;
        tellCounts("searching");
      }
      end();
      drawUnread();
      if (!byKernel.size) results.append(h("li", { class: "xa-more" }, ...nothing(query)));
    } catch (error) {
      if (mine !== generation) return;
      end();
      said.textContent = "";
      results.append(h("li", { class: "xa-say xa-bad", role: "alert", text: visible(error instanceof Error ? error.message : String(error)) }));
    }
  }

  /** @param {{whole: boolean, stages: string[]}} query */
  function nothing(query) {
    const where = several ? "any stage" : titleOf(query.stages[0]);
    if (query.whole || !query.stages.includes("isa")) return [`No ${where === "any stage" ? "listing" : where} has it. `];
    return ["No instruction has it. ", h("button", { class: "xa-button", type: "button", text: "Search the whole text", on: { click: () => { whole.checked = true; search(); } } })];
  }

  /** @returns {NodeListOf<HTMLButtonElement>} */
  const hits = () => results.querySelectorAll(".xa-hit");

  /** @param {HTMLButtonElement|undefined} hit */
  function focusHit(hit) {
    if (!hit) return;
    for (const other of hits()) other.tabIndex = other === hit ? 0 : -1;
    hit.focus({ preventScroll: true });
    const top = hit.offsetTop;
    if (top < results.scrollTop) results.scrollTop = top - 24;
    else if (top + hit.offsetHeight > results.scrollTop + results.clientHeight) results.scrollTop = top + hit.offsetHeight - results.clientHeight + 4;
  }

  /** @param {HTMLButtonElement} hit @param {boolean} firmly  to read on there */
  function open(hit, firmly) {
    for (const other of hits()) other.removeAttribute("aria-current");
    hit.setAttribute("aria-current", "true");
    const { kernel = "", stage = "", line } = hit.dataset;
    tell.open({ kernel, stage, line: Number(line), text: asked }, firmly);
  }

  function hide() {
    if (!stop.hidden) end("stopped");
    element.hidden = true;
    tell.shown(false);
  }

  stages.addEventListener("change", () => {
    choice = stages.value;
  });
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    search();
  });
  only.addEventListener("click", () => {
    const ids = [...byKernel.keys()];
    tell.only(`with “${visible(text.value)}”`, ids);
    hide();
  });
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey && event.shiftKey) return; // the page's own keys
    const target = /** @type {HTMLElement} */ (event.target);
    const hit = /** @type {HTMLButtonElement|null} */ (target.closest(".xa-hit"));
    const all = [...hits()];
    event.stopPropagation();
    if (event.key === "Escape") {
      if (hit) text.select();
      else hide();
    } else if (event.key === "ArrowDown" && (hit || target === text)) focusHit(all[hit ? Math.min(all.indexOf(hit) + 1, all.length - 1) : 0]);
    else if (event.key === "ArrowUp" && hit) {
      if (all.indexOf(hit) === 0) text.select();
      else focusHit(all[all.indexOf(hit) - 1]);
    } else if (event.key === "Home" && hit) focusHit(all[0]);
    else if (event.key === "End" && hit) focusHit(all.at(-1));
    else if (event.key === "Enter" && hit) open(hit, true);
    else if (event.key === " " && hit) open(hit, false);
    else return;
    event.preventDefault();
  });
  results.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const hit = /** @type {HTMLButtonElement|null} */ (/** @type {HTMLElement} */ (event.target).closest(".xa-hit"));
    if (!hit) return;
    focusHit(hit);
    open(hit, false);
  });

  return {
    element,
    show() {
      element.hidden = false;
      tell.shown(true);
      text.select();
    },
    /** Where the reader was in what was found; false: the search is not open. */
    back() {
      if (element.hidden) return false;
      (results.querySelector(".xa-hit[tabindex='0']") ?? text).focus();
      return true;
    },
    /** @param {Capture} next */
    update(next) {
      capture = next;
      drawStages();
    },
    destroy: () => generation++,
  };
}
