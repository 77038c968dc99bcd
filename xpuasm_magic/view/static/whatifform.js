// @ts-check
/** What is to vary: one of two questions, and the values of each axis. */

import { counted, h, visible } from "./dom.js";
/** @import { Choice, Choices } from "./types.js" */

const FEW = 7; // values of an axis that are seen at once

const AXES = /** @type {{name: "device"|"grf"|"toolchain"|"num_warps"|"threads_per_warp", title: string, empty: string, source: boolean}[]} */ ([
  { name: "device", title: "Devices", empty: "none: the kernel's own", source: false },
  { name: "grf", title: "GRF modes", empty: "none: the kernel's own", source: false },
  { name: "toolchain", title: "Compilers", empty: "none: the newest", source: false },
  { name: "num_warps", title: "num_warps", empty: "none: the kernel's own", source: true },
  { name: "threads_per_warp", title: "threads_per_warp", empty: "none: the kernel's own", source: true },
]);

const QUESTION_TITLES = /** @type {Record<string, string>} */ ({ spirv: "The same SPIR-V", source: "The same source" });

/** @param {Choices} choices @param {(wanted: object) => void} submit */
export function whatIfForm(choices, submit) {
  /** @type {Map<string, Set<string>>} */ const chosen = new Map(AXES.map(({ name }) => [name, new Set()]));
  for (const mode of ["128", "256", "auto"]) chosen.get("grf")?.add(mode);
  let question = "spirv";
  const options = h("input", { class: "xa-filter", type: "text", spellcheck: "false", placeholder: "-cl-fast-relaxed-math", "aria-label": "Build options beside the kernel's own" });
  const unoptimized = h("input", { type: "checkbox" });
  const count = h("span", { class: "xa-count", role: "status" });
  const start = h("button", { class: "xa-button xa-primary", type: "submit", text: "Compile" });

  /** @param {{name: string}} axis @param {Choice} choice */
  function box({ name }, { value, title }) {
    const input = h("input", { type: "checkbox", on: {
      change() {
        if (input.checked) chosen.get(name)?.add(value);
        else chosen.get(name)?.delete(value);
        tell();
      },
    } });
    input.checked = chosen.get(name)?.has(value);
    return h("label", { class: "xa-check", title: visible(title) }, input, visible(value));
  }

  const groups = AXES.map((axis) => {
    const all = choices[axis.name].map((choice) => box(axis, choice));
    const own = choices.own[axis.name];
    const group = h("fieldset", { class: "xa-axis" },
      h("legend", { text: `${axis.title} (${own ? `${axis.empty}, ${visible(own)}` : axis.empty})` }),
      ...all.slice(0, FEW),
      all.length > FEW ? h("details", {}, h("summary", { text: `${all.length - FEW} more` }), ...all.slice(FEW)) : null);
    group.hidden = all.length === 0;
    return { axis, group };
  });

  const shared = `xa-question-${Math.random().toString(36).slice(2)}`; // radio buttons of one form share a name
  const questions = Object.entries(choices.questions).map(([name, words]) => {
    const input = h("input", { type: "radio", name: shared, value: name, on: { change: () => ask(name) } });
    return { name, input, label: h("label", { class: "xa-check" }, input, h("strong", { text: QUESTION_TITLES[name] ?? name }), ` ${words.replace(/^the same \S+, /, "")}`) };
  });

  /** @param {string} name */
  function ask(name) {
    question = name;
    for (const one of questions) one.input.checked = one.name === name;
    for (const { axis, group } of groups) if (axis.source) group.hidden = name !== "source";
    tell();
  }

  function wanted() {
    /** @type {Record<string, any>} */ const found = { question, options: options.value.trim(), opt_disable: unoptimized.checked };
    for (const { name, source } of AXES) if (!source || question === "source") found[name] = [...(chosen.get(name) ?? [])];
    return found;
  }

  function tell() {
    const found = wanted();
    let cells = (found.options ? 2 : 1) * (found.opt_disable ? 2 : 1);
    for (const { name } of AXES) cells *= Math.max(1, found[name]?.length ?? 1);
    count.textContent = counted(cells, "cell");
  }

  options.addEventListener("input", tell);
  options.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key !== "Escape" && event.stopPropagation());
  unoptimized.addEventListener("change", tell);
  const form = h("form", { class: "xa-whatif-form", "aria-label": "What if" },
    h("div", { class: "xa-questions", role: "radiogroup", "aria-label": "Question" }, ...questions.map(({ label }) => label)),
    h("div", { class: "xa-axes" }, ...groups.map(({ group }) => group),
      h("fieldset", { class: "xa-axis" }, h("legend", { text: "Options, with and without" }), options, h("label", { class: "xa-check", title: "-cl-opt-disable" }, unoptimized, "no optimization"))),
    h("div", { class: "xa-whatif-go" }, start, count));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    submit(wanted());
  });
  ask(question);
  return {
    element: form,
    /** @param {boolean} busy */
    busy(busy) {
      start.disabled = busy;
    },
  };
}
