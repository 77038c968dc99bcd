// @ts-check
/** What if: the chosen kernel under other conditions, compiled by the notebook's Python. */

import { h, visible } from "./dom.js";
import { matrixView } from "./matrix.js";
import { whatIfForm } from "./whatifform.js";
/** @import { Code, Host, Job } from "./types.js" */

const BEAT_MS = 300;

/** @typedef {{job: Job|null, error: string, wanted: number}} Asked  of one kernel */

/** @param {Host} host @param {(a: Code, b: Code) => void} compare @param {() => void} closed */
export function whatIfPanel(host, compare, closed) {
  const formBox = h("div");
  const bar = h("progress", { class: "xa-far", max: "1", "aria-label": "Compiled" });
  const told = h("span", { class: "xa-count", role: "status" });
  const stop = h("button", { class: "xa-button", type: "button", text: "Stop", title: "End the compilers; what was compiled by then stays" });
  const running = h("div", { class: "xa-whatif-running", hidden: true }, bar, told, stop);
  const failed = h("p", { class: "xa-say xa-bad", role: "alert", hidden: true });
  const result = h("div");
  const close = h("button", { class: "xa-button", type: "button", text: "Close", on: { click: leave } });
  const element = h("section", { class: "xa-whatif", "aria-label": "What if", hidden: true },
    h("div", { class: "xa-whatif-head" }, h("h4", { text: "What if" }), h("span", { class: "xa-count", text: "Compiled without a GPU." }), h("span", { class: "xa-space" }), close),
    formBox, running, failed, result);
  /** @type {Map<string, Asked>} by kernel */ const asked = new Map();
  /** @type {string} */ let kernel = "";
  /** @type {ReturnType<typeof whatIfForm>|null} */ let form = null;
  /** @type {any} */ let timer = null;
  let shown = "";
  let turn = 0; // of asking what there is to choose from
  let toFocus = false; // when the form is there

  function focus() {
    toFocus = form === null;
    formBox.querySelector("input")?.focus();
  }

  function leave() {
    toFocus = false;
    element.hidden = true;
    closed();
  }

  function mine() {
    let found = asked.get(kernel);
    if (!found) asked.set(kernel, (found = { job: null, error: "", wanted: 0 }));
    return found;
  }

  async function ask() {
    const [id, own] = [kernel, ++turn];
    form = null;
    formBox.replaceChildren(h("p", { class: "xa-say", role: "status", text: "Asking for devices and compilers …" }));
    draw();
    try {
      const choices = await host.request("recompile", { do: "choices", kernel: id });
      if (own !== turn) return;
      form = whatIfForm(choices, start);
      formBox.replaceChildren(form.element);
      draw();
      if (toFocus) focus();
    } catch (error) {
      if (own === turn) formBox.replaceChildren(h("p", { class: "xa-say xa-bad", role: "alert", text: visible(said(error)) }));
    }
  }

  /** @param {unknown} error */
  const said = (error) => (error instanceof Error ? error.message : String(error));

  /** @param {object} wanted */
  function start(wanted) {
    const one = mine();
    one.job = null;
    one.error = "";
    follow(one, { do: "start", kernel, wanted });
    draw();
  }

  /** Asks until it has ended. @param {Asked} one @param {object} request */
  async function follow(one, request) {
    const own = ++one.wanted;
    try {
      let job = await host.request("recompile", request);
      for (;;) {
        if (own !== one.wanted) return;
        one.job = job;
        draw();
        if (job.matrix) return;
        await new Promise((done) => (timer = setTimeout(done, BEAT_MS)));
        job = await host.request("recompile", { do: "poll", job: job.job });
      }
    } catch (error) {
      if (own !== one.wanted) return;
      one.job = null;
      one.error = said(error);
      draw();
    }
  }

  function draw() {
    const { job, error, wanted } = mine();
    const busy = wanted > 0 && !error && !job?.matrix;
    form?.busy(busy);
    running.hidden = !busy;
    failed.hidden = !error;
    failed.textContent = visible(error);
    if (busy) {
      if (job?.cells) bar.value = job.done / job.cells;
      else bar.removeAttribute("value");
      const text = job ? [`${job.phase}, ${job.done} of ${job.cells} cells`, job.refused ? `${job.refused} refused` : "", job.failed ? `${job.failed} failed` : ""].filter(Boolean).join(", ") : "starting";
      if (told.textContent !== text) told.textContent = text;
    }
    const which = job?.matrix ? `${kernel} ${job.job}` : "";
    if (which === shown) return;
    shown = which;
    result.replaceChildren(...(job?.matrix ? [matrixView(job.matrix, compare)] : []));
    stop.disabled = false;
  }

  stop.addEventListener("click", () => {
    const { job } = mine();
    if (!job) return;
    stop.disabled = true;
    host.request("recompile", { do: "cancel", job: job.job }).catch(() => {});
  });
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    leave();
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    /** @param {string} id  of the kernel */
    show(id) {
      element.hidden = false;
      if (id === kernel && form) return;
      kernel = id;
      ask();
    },
    leave() {
      if (!element.hidden) leave();
    },
    /** Another kernel has been chosen. @param {string} id */
    follow(id) {
      if (id === kernel) return;
      kernel = id;
      form = null;
      turn++;
      if (!element.hidden) ask();
    },
    focus,
    destroy() {
      turn++;
      clearTimeout(timer);
      for (const one of asked.values()) one.wanted++;
    },
  };
}
