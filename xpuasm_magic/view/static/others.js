// @ts-check
/** What the chosen kernel can be compared with: its own builds, its other configs, all other kernels. */

import { h, visible } from "./dom.js";
/** @import { Cell, Code, Host, Kernel } from "./types.js" */

/** @param {Host} host @param {(kernel: Kernel, name: string) => Cell} value @param {(code: Code) => void} compare */
export function otherCodes(host, value, compare) {
  const element = h("select", { class: "xa-select xa-others", "aria-label": "Compare with", title: "Side by side with another kernel or build   d" });

  /** @param {Kernel} kernel */
  const named = (kernel) => option([value(kernel, "name"), value(kernel, "config")].filter(Boolean).join(" "), { kernel: kernel.id, attempt: null, matrix: null });

  /** @param {string} title @param {Code} code */
  const option = (title, code) => h("option", { value: JSON.stringify(code), text: visible(title) });

  element.addEventListener("change", () => {
    if (!element.value) return;
    const code = JSON.parse(element.value);
    element.value = "";
    compare(code);
  });
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());

  return {
    element,
    /** @param {Kernel} kernel @param {number|null} attempt  the build that is shown */
    show(kernel, attempt) {
      element.hidden = host.kind !== "notebook"; // a report has nobody who compares
      if (element.hidden) return;
      const { id, group } = kernel;
      const builds = kernel.attempts.map((one, index) => ({ title: one.label, index })).filter(({ index }) => index !== attempt);
      const rest = host.capture().kernels.filter((one) => one.id !== id && one.stages.length);
      const groups = /** @type {[string, HTMLElement[]][]} */ ([
        ["Builds of this kernel", [
          ...(attempt === null ? [] : [option("the build shown as the row", { kernel: id, attempt: null, matrix: null })]),
          ...builds.map(({ title, index }) => option(title, { kernel: id, attempt: index, matrix: null })),
        ]],
        ["Its other configs", rest.filter((one) => one.group === group).map(named)],
        ["Other kernels", rest.filter((one) => one.group !== group).map(named)],
      ]);
      element.replaceChildren(
        h("option", { value: "", text: "Compare with …" }),
        ...groups.filter(([, options]) => options.length).map(([label, options]) => h("optgroup", { label }, ...options)),
      );
      element.hidden = element.options.length < 2;
    },
  };
}
