// @ts-check
/** What a run is doing that has not ended. */

import { counted, h, visible } from "./dom.js";
/** @import { Host, Progress } from "./types.js" */

const SILENCE = 6; // seconds; a run tells of itself every second
const DEAF = 4_000; // milliseconds in which a kernel that can answer has answered

const WAITS =
  "This Python kernel answers a page only when its cell is done: listings come then. The notebook's own stop button works now.";

/** @param {number} seconds */
function clock(seconds) {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** @param {Host} host */
export function progressBar(host) {
  const phase = h("span", { class: "xa-running", text: "starting" });
  const counts = h("span", { class: "xa-counts" });
  const said = h("span", { class: "xa-said", role: "status" }, phase, counts);
  const time = h("span", { class: "xa-clock", role: "timer", "aria-label": "Elapsed" });
  const hint = h("span", { class: "xa-hint", role: "status" });
  const stop = h("button", { class: "xa-button xa-stop", type: "button", text: "Stop", title: "Interrupt the run; what was compiled by then stays" });
  const element = h("div", { class: "xa-progress", role: "group", "aria-label": "Progress of the run" }, said, time, hint, h("span", { class: "xa-space" }), stop);
  /** @type {Progress|null} */ let told = null;
  let heard = 0;
  /** @type {any} */ let ticking = null;
  /** @type {any} */ let deaf = null;
  let gone = false; // the Python kernel has said, or shown, that it is another one now

  function tick() {
    const since = (performance.now() - heard) / 1000;
    const silent = since > SILENCE;
    if (told) time.textContent = clock(told.elapsed_s + (silent ? 0 : since));
    element.classList.toggle("xa-silent", silent);
    if (gone) return;
    if (!silent && stop.hidden) hello(); // one answer that was lost must not cost the button
    if (silent) hint.textContent = `Nothing heard of the run for ${clock(since)}.`;
    else if (hint.textContent.startsWith("Nothing heard")) hint.textContent = "";
  }

  /** @param {Progress} progress */
  function hear(progress) {
    told = progress;
    heard = performance.now();
    gone = false;
    // A status is read out when it changes: only then is it touched.
    const text = [
      progress.found ? `${counted(progress.found, "kernel")} found, ${progress.built} compiled` : "",
      progress.failed ? `${progress.failed} failed` : "",
    ].filter(Boolean).join(", ");
    if (phase.textContent !== visible(progress.phase)) phase.textContent = visible(progress.phase);
    if (counts.textContent !== text) counts.textContent = text;
    if (ticking) tick();
  }

  /** Whether the kernel can answer now decides what is offered. */
  function ask() {
    deaf = setTimeout(() => {
      hint.textContent = WAITS;
    }, DEAF);
    hello();
  }

  function hello() {
    host.request("hello", {}).then(
      () => {
        clearTimeout(deaf);
        if (hint.textContent === WAITS) hint.textContent = "";
        stop.hidden = false;
      },
      () => {},
    );
  }

  stop.addEventListener("click", () => {
    stop.disabled = true;
    stop.textContent = "Stopping …";
    host.request("stop", {}).catch((error) => {
      gone = true;
      stop.hidden = true;
      hint.textContent = visible(error.message);
    });
  });
  element.hidden = stop.hidden = true;
  const unhear = host.onProgress(hear);

  function rest() {
    clearInterval(ticking);
    clearTimeout(deaf);
    ticking = null;
  }

  return {
    element,
    /** @param {boolean} running */
    show(running) {
      element.hidden = !running;
      if (running && !ticking) {
        heard = performance.now();
        ticking = setInterval(tick, 1000);
        ask();
      } else if (!running) rest();
    },
    destroy() {
      rest();
      unhear();
    },
  };
}
