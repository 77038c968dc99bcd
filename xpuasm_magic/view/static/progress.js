// @ts-check
/** What a run is doing that has not ended. */

import { counted, h, visible } from "./dom.js";
import { KernelGone } from "./hosts.js";
/** @import { Host, Progress } from "./types.js" */

const SILENCE = 6; // seconds; a run tells of itself every second
const DEAF = 4_000; // milliseconds in which a kernel that can answer has answered

const ASKED_AGAIN = 2_000; // milliseconds; an answer can be lost
const RARELY = 30_000;

const UNHEARD = "Nothing heard of the run";
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
  const said = h("span", { class: "xa-phase", role: "status" }, phase, counts);
  const time = h("span", { class: "xa-clock", role: "timer", "aria-label": "Elapsed" });
  const hint = h("span", { class: "xa-hint", role: "status" });
  const stop = h("button", { class: "xa-button xa-stop", type: "button", text: "Stop", title: "Interrupt the run; what was compiled by then stays" });
  const element = h("div", { class: "xa-progress", role: "group", "aria-label": "Progress of the run" }, said, time, hint, h("span", { class: "xa-space" }), stop);
  /** @type {Progress|null} */ let told = null;
  let heard = 0;
  /** @type {any} */ let ticking = null;
  /** @type {any} */ let deaf = null;
  /** @type {any} */ let asking = null;
  let answered = false; // the kernel answers while its cell runs
  let askedAt = 0;
  let gone = ""; // why nobody is there any more

  const unheard = () => (performance.now() - heard) / 1000;

  function tick() {
    const since = unheard();
    const silent = since > SILENCE;
    if (told) time.textContent = clock(told.elapsed_s + (silent ? 0 : since));
    element.classList.toggle("xa-silent", silent);
    if (silent) {
      say(`${UNHEARD} for ${clock(since)}.`);
      if (answered && performance.now() - askedAt > 2 * ASKED_AGAIN) ask(ASKED_AGAIN); // it may have been restarted
    } else if (hint.textContent.startsWith(UNHEARD)) say("");
  }

  /** @param {string} text */
  function say(text) {
    if (hint.textContent !== text) hint.textContent = text;
  }

  /** Nobody is there any more: the reason stays. @param {Error} error */
  function end(error) {
    rest();
    gone = visible(error.message);
    stop.hidden = true;
    element.classList.add("xa-silent");
    phase.textContent = "ended";
    say(gone);
  }

  /** @param {Progress} progress */
  function hear(progress) {
    told = progress;
    heard = performance.now();
    if (gone) begin(); // the connection was lost for a while only
    // A status is read out when it changes: only then is it touched.
    const text = [
      progress.found ? `${counted(progress.found, "kernel")} found, ${progress.built} compiled` : "",
      progress.failed ? `${progress.failed} failed` : "",
    ].filter(Boolean).join(", ");
    if (phase.textContent !== visible(progress.phase)) phase.textContent = visible(progress.phase);
    if (counts.textContent !== text) counts.textContent = text;
    if (ticking) tick();
  }

  /** Whether the kernel can answer now decides what is offered. Asked until it does, more and more rarely. @param {number} pause */
  function ask(pause) {
    answered = false;
    askedAt = performance.now();
    clearTimeout(asking);
    asking = setTimeout(() => ask(Math.min(1.5 * pause, RARELY)), pause);
    host.request("hello", {}).then(
      () => {
        if (!ticking) return;
        answered = true;
        clearTimeout(asking);
        clearTimeout(deaf);
        if (hint.textContent === WAITS) say("");
        stop.hidden = false;
      },
      (error) => {
        if (ticking && lost(error)) end(error);
      },
    );
  }

  /** No answer to be had of a kernel of which nothing is heard either. @param {unknown} error */
  const lost = (error) => error instanceof KernelGone || unheard() > SILENCE;

  function begin() {
    rest();
    gone = "";
    say("");
    heard = performance.now();
    ticking = setInterval(tick, 1000);
    deaf = setTimeout(() => say(WAITS), DEAF);
    ask(ASKED_AGAIN);
  }

  stop.addEventListener("click", () => {
    stop.disabled = true;
    stop.textContent = "Stopping …";
    host.request("stop", {}).catch((error) => {
      stop.disabled = false;
      stop.textContent = "Stop";
      if (lost(error)) end(error);
      else say(visible(error.message));
    });
  });
  element.hidden = stop.hidden = true;
  const unhear = host.onProgress(hear);

  function rest() {
    clearInterval(ticking);
    clearTimeout(deaf);
    clearTimeout(asking);
    ticking = null;
  }

  return {
    element,
    /** @param {boolean} running */
    show(running) {
      element.hidden = !running;
      if (running && !ticking && !gone) begin();
      else if (!running) {
        rest();
        gone = "";
      }
    },
    destroy() {
      rest();
      unhear();
    },
  };
}
