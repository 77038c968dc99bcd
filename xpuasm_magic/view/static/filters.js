// @ts-check
/** Which kernels are shown: by words, by family, by what became of them. */

import { counted, h, number, visible } from "./dom.js";
/** @import { Capture, Kernel } from "./types.js" */
/** @import { CellOf } from "./groups.js" */

/** @typedef {{label: string, passes: (kernel: Kernel) => boolean, clear: () => void}} Filter */

const TROUBLE = /** @type {Record<string, string>} */ ({ spills: "spill", ambiguous: "ambiguous", notes: "with notes" });

/** What is to be seen of a kernel without being looked for. @param {Kernel} kernel @param {CellOf} value */
function troubles(kernel, value) {
  const found = [];
  const status = value(kernel, "status");
  if (status !== null && status !== "ok") found.push(String(status));
  if (Number(value(kernel, "spill_bytes") ?? 0) > 0) found.push("spills");
  if (value(kernel, "match") === "ambiguous") found.push("ambiguous");
  if (kernel.notes.some((note) => note.severity !== "info")) found.push("notes");
  return found;
}

/** @param {CellOf} value @param {() => void} changed @param {() => void} leave  to the first kernel */
export function kernelFilters(value, changed, leave) {
  const words = h("input", { class: "xa-filter", type: "search", placeholder: "Filter kernels   /", "aria-label": "Filter kernels", spellcheck: "false" });
  const families = h("select", { class: "xa-families", "aria-label": "Family" });
  const chips = h("div", { class: "xa-chips", role: "group", "aria-label": "Only kernels that" });
  /** @type {Capture|null} */ let capture = null;
  /** @type {Set<string>} */ let wanted = new Set();
  /** @type {{label: string, ids: Set<string>}|null} */ let among = null;

  const titleOf = (/** @type {string} */ family) => capture?.families.find((one) => one.name === family)?.title ?? family;

  /** The filters that are on. @returns {Filter[]} */
  function active() {
    /** @type {Filter[]} */ const found = [];
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (asked.length) {
      found.push({
        label: `“${visible(words.value.trim())}”`,
        passes(kernel) {
          const told = ["name", "config", "status", "key"].map((name) => value(kernel, name) ?? "");
          const text = [...told, kernel.family, titleOf(kernel.family)].join(" ").toLowerCase();
          return asked.every((/** @type {string} */ word) => text.includes(word));
        },
        clear: () => {
          words.value = "";
        },
      });
    }
    if (families.value) {
      const family = families.value;
      found.push({ label: titleOf(family), passes: (kernel) => kernel.family === family, clear: () => { families.value = ""; } });
    }
    if (wanted.size) {
      const own = [...wanted];
      found.push({
        label: own.map((one) => TROUBLE[one] ?? one).join(" or "),
        passes: (kernel) => troubles(kernel, value).some((one) => wanted.has(one)),
        clear: () => wanted.clear(),
      });
    }
    if (among) {
      const { label, ids } = among;
      found.push({ label, passes: (kernel) => ids.has(kernel.id), clear: () => { among = null; } });
    }
    return found;
  }

  function refresh() {
    drawChips();
    changed();
  }

  function drawChips() {
    /** @type {Map<string, number>} */ const counts = new Map();
    for (const kernel of capture?.kernels ?? []) for (const one of troubles(kernel, value)) counts.set(one, (counts.get(one) ?? 0) + 1);
    wanted = new Set([...wanted].filter((one) => counts.has(one)));
    const order = ["spills", "ambiguous", "notes"]; // after what failed
    const named = [...counts].sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
    const held = chips.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.chip : undefined;
    chips.replaceChildren(
      ...named.map(([one, many]) =>
        h("button", {
          class: `xa-chip xa-chip-${one === "notes" || one === "ambiguous" ? "doubt" : "bad"}`, type: "button", "data-chip": one, "aria-pressed": String(wanted.has(one)),
          text: `${number.format(many)} ${TROUBLE[one] ?? one}`, title: "Show only these",
          on: { click: () => { if (!wanted.delete(one)) wanted.add(one); refresh(); } },
        }),
      ),
      ...(among ? [h("button", { class: "xa-chip", type: "button", "data-chip": "among", "aria-pressed": "true", text: `${visible(among.label)} (${number.format(among.ids.size)})`, title: "Show all kernels again", on: { click: () => { among = null; refresh(); } } })] : []),
    );
    if (held) /** @type {HTMLElement|null} */ (chips.querySelector(`[data-chip="${CSS.escape(held)}"]`))?.focus();
    chips.hidden = !chips.childElementCount;
  }

  function drawFamilies() {
    const have = families.value;
    const of = (/** @type {string} */ family) => capture?.kernels.filter((kernel) => kernel.family === family).length ?? 0;
    const present = capture?.families ?? [];
    families.replaceChildren(h("option", { value: "", text: "All families" }), ...present.map(({ name, title }) => h("option", { value: name, text: `${title} (${number.format(of(name))})` })));
    families.value = present.some(({ name }) => name === have) ? have : "";
    families.hidden = present.length < 2;
  }

  words.addEventListener("input", changed);
  words.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey && event.shiftKey) return; // the page's own keys
    event.stopPropagation();
    if (event.key === "Escape") {
      words.value = "";
      changed();
    } else if (event.key === "ArrowDown" || event.key === "Enter") leave();
    else return;
    event.preventDefault();
  });
  families.addEventListener("change", changed);
  families.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());

  return {
    elements: [words, families, chips],
    focus: () => words.select(),
    field: words,
    /** @param {Capture} next */
    show(next) {
      capture = next;
      drawFamilies();
      drawChips();
    },
    /** @param {Kernel} kernel */
    passes: (kernel) => active().every((filter) => filter.passes(kernel)),
    /** Only these kernels, e.g. those in which something was found. @param {string} label @param {Iterable<string>} ids */
    only(label, ids) {
      among = { label, ids: new Set(ids) };
      refresh();
    },
    /** What to do where no kernel is left: which filter hides how many. @returns {Node[]} */
    advice() {
      const on = active();
      if (!on.length || !capture) return [];
      const { kernels } = capture;
      const offers = on
        .map((filter) => ({ filter, many: kernels.filter((kernel) => on.every((other) => other === filter || other.passes(kernel))).length }))
        .filter(({ many }) => many > 0);
      const button = (/** @type {string} */ text, /** @type {Filter[]} */ off) =>
        h("button", { class: "xa-button", type: "button", text, on: { click: () => { for (const filter of off) filter.clear(); refresh(); words.focus(); } } });
      return [
        h("p", { text: `No kernel answers to ${on.map(({ label }) => label).join(" and ")}.` }),
        h("p", {}, ...(offers.length
          ? offers.map(({ filter, many }) => button(`Without ${filter.label}: ${counted(many, "kernel")}`, [filter]))
          : [button(`Remove all filters: ${counted(kernels.length, "kernel")}`, on)])),
      ];
    },
  };
}
