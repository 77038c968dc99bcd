// @ts-check
/** One pane: a stage of the chosen kernel, with its search and filters. */

import { acknowledge, copy, counted, h, number, save, visible } from "./dom.js";
import { FORMS } from "./copying.js";
import { linkable } from "./links.js";
import { listingView } from "./listing.js";
import { actionMenu } from "./menu.js";
/** @import { Stage, Kernel, Place, Host } from "./types.js" */
/** @import { Linkable } from "./links.js" */

/**
 * @typedef {object} Shared  what the panes of a kernel have in common
 * @property {Host} host
 * @property {() => Kernel|null} kernel
 * @property {() => number|null} attempt
 * @property {() => Stage[]} stages
 * @property {(pane: any, line: number|null, firmly: boolean) => void} linked
 * @property {(pane: any) => void} changed  it shows another listing
 * @property {ReturnType<typeof helpBox>} help
 * @property {string} name  of the kernel
 */

/** Once the page has drawn what it has. @param {() => void} act */
export function whenIdle(act) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(act, { timeout: 1000 });
  else setTimeout(act, 100);
}

/** @param {Shared} shared @param {string} choice  the stage that the reader wants; another is shown where it is missing */
export function stagePane(shared, choice) {
  let stage = choice;
  const { host } = shared;
  const tabs = h("div", { class: "xa-tabs", role: "tablist", "aria-label": "Stages" });
  const chooser = h("select", { class: "xa-stage-choice", "aria-label": "Stage" });
  const opcodes = h("select", { class: "xa-opcodes", "aria-label": "Show one instruction, dim the others" });
  const find = h("input", { class: "xa-find", type: "search", placeholder: "Find   /", "aria-label": "Find in this listing", spellcheck: "false" });
  const said = h("span", { class: "xa-count xa-said", role: "status" });
  const foldButton = h("button", { class: "xa-button xa-fold-all", type: "button", text: "Fold", title: "Fold or unfold all blocks   Z", hidden: true });
  const copyButton = h("button", { class: "xa-button", type: "button", text: "Copy", title: "The whole text, as the compiler wrote it" });
  const forms = FORMS.map(({ form, title, tooltip }) => ({
    title,
    tooltip,
    act() {
      const { text, said: told } = code.copied(form);
      copy(text).then(() => {
        said.textContent = told;
      });
    },
  }));
  const saving = { title: "Save as a file", tooltip: "The whole text, as the compiler wrote it", act: saveAll };
  const copyMenu = actionMenu("Copy the selection, or all, as …", [...forms, saving]);
  const saveButton = h("button", { class: "xa-button xa-save", type: "button", text: "Save" }); // in the menu where panes are narrow
  const message = h("div");
  let asked = 0; // every change of what is to be shown: an answer to an earlier question is dropped
  let helped = 0; // likewise of help
  /** @type {Linkable|null} */ let shown = null;

  function saveAll() {
    const suffix = shared.stages().find((one) => one.name === stage)?.suffix ?? ".txt";
    const attempt = shared.attempt();
    const tried = attempt === null ? "" : `.rejected-${attempt + 1}`;
    save(code.text, `${shared.name.replace(/[^\w.-]+/g, "_").slice(0, 120)}${tried}${suffix}`);
  }

  /** @returns {Place} */
  const place = () => ({ kernel: shared.kernel()?.id ?? "", attempt: shared.attempt(), stage });
  let read = place(); // of the listing that is on the screen, also while the next one is on its way
  const code = listingView((start) => host.request("spans", { ...read, start }), {
    hover: (line) => shared.linked(self, line, false),
    select: (line) => shared.linked(self, line, true),
    find: () => find.select(),
    said: (text) => {
      said.textContent = text;
    },
    async help(line, column, x, y) {
      if (!shown) return;
      const mine = ++helped;
      try {
        const answer = await host.request("help", { stage, text: shown.lines[line], column });
        if (answer.help && mine === helped) shared.help.show(answer.help, x, y);
      } catch {
        // No help is no fault of the listing.
      }
    },
    unhelp,
    folded: drawFold,
  });
  const bar = h("div", { class: "xa-bar" }, tabs, chooser, h("span", { class: "xa-space" }), said, opcodes, find, foldButton, h("div", { class: "xa-copy" }, copyButton, copyMenu.element), saveButton);
  const element = h("section", { class: "xa-stage" }, bar, message, code.element);

  function unhelp() {
    helped++;
    shared.help.hide();
  }

  function draw() {
    const stages = shared.stages();
    const held = tabs.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.stage : undefined;
    tabs.replaceChildren(
      ...stages.map((one) =>
        h("button", {
          type: "button", role: "tab", class: "xa-tab", "aria-selected": String(one.name === stage), tabindex: one.name === stage ? "0" : "-1", "data-stage": one.name, text: one.title,
          on: { click: () => open(one.name) },
        }),
      ),
    );
    if (held) tabs.querySelector(`[data-stage="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    chooser.replaceChildren(...stages.map((one) => h("option", { value: one.name, text: one.title })));
    chooser.value = stage;
    bar.hidden = stages.length === 0;
    saveButton.textContent = `Save ${stages.find((one) => one.name === stage)?.suffix ?? ""}`;
  }

  function drawFold() {
    foldButton.hidden = !code.foldable;
    foldButton.textContent = code.allFolded ? "Unfold" : "Fold";
    foldButton.setAttribute("aria-label", code.allFolded ? "Unfold all blocks" : "Fold all blocks");
  }

  /** What is not seen at once, in pieces that keep no frame waiting. @param {number} mine */
  function afterwards(mine) {
    const steps = [
      () => {
        code.knowBlocks();
        drawFold();
      },
      () => {
        const names = code.opcodes();
        opcodes.hidden = names.length === 0;
        opcodes.replaceChildren(h("option", { value: "", text: "All opcodes" }), ...names.map(([name, count]) => h("option", { value: name, text: `${name} (${number.format(count)})` })));
      },
      () => shown && locate(shown).catch(() => {}),
    ];
    const next = () => {
      if (mine !== asked || !shown) return;
      steps.shift()?.();
      if (steps.length) whenIdle(next);
    };
    whenIdle(next);
  }

  /** @param {string} text @param {boolean} [bad] */
  function say(text, bad = false) {
    code.element.classList.add("xa-away");
    message.replaceChildren(h("p", { class: bad ? "xa-say xa-bad" : "xa-say", role: bad ? "alert" : "status", text: visible(text) }));
  }

  /** Source lines of a stage that has vISA numbers only come from one that has both. @param {Linkable} listing */
  async function locate(listing) {
    if (listing.located || !listing.numbered) return;
    const other = ["visa", "isa"].find((name) => name !== stage && shared.stages().some((one) => one.name === name));
    if (other) listing.borrow(linkable(await host.request("listing", { ...place(), stage: other })));
  }

  /** What is shown when the reader wants this. @param {string} wanted */
  function available(wanted) {
    const have = shared.stages().map((one) => one.name);
    return have.includes(wanted) ? wanted : have.includes("isa") ? "isa" : have.at(-1) ?? "";
  }

  /** @param {string} [wanted] @returns {Promise<boolean>} it is shown, and nothing else was wanted meanwhile */
  async function open(wanted = choice) {
    const mine = ++asked;
    shown = null;
    unhelp();
    if (!shared.kernel()) return false;
    choice = wanted;
    stage = available(wanted);
    draw();
    find.value = said.textContent = "";
    opcodes.hidden = foldButton.hidden = true;
    copyButton.disabled = copyMenu.button.disabled = saveButton.disabled = true;
    if (!stage) {
      code.clear();
      say("There is no listing of this kernel.");
      return false;
    }
    const wantedPlace = place();
    const label = `${shared.stages().find((one) => one.name === stage)?.title} of ${shared.name}`;
    const slow = setTimeout(() => {
      if (mine !== asked) return;
      code.clear();
      say("Reading …");
    }, 300);
    try {
      const listing = await host.request("listing", wantedPlace);
      if (mine !== asked) return false;
      read = wantedPlace;
      message.replaceChildren();
      code.element.classList.remove("xa-away");
      shown = linkable(listing);
      code.show(stage, listing, shown.lines, label);
      // The source of a kernel of a cell is the whole cell: it opens at the kernel's own function.
      const begin = stage === "python" ? shared.kernel()?.line ?? null : null;
      if (begin !== null && begin <= shown.lines.length) code.openAt(begin - 1);
      copyButton.disabled = copyMenu.button.disabled = saveButton.disabled = false;
      shared.changed(self);
      afterwards(mine);
      return true;
    } catch (error) {
      if (mine !== asked) return false;
      code.clear();
      say(error instanceof Error ? error.message : String(error), true);
      return false;
    } finally {
      clearTimeout(slow);
    }
  }

  tabs.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = shared.stages();
    if (!step || !all.length) return;
    const next = all[(all.findIndex((one) => one.name === stage) + step + all.length) % all.length].name;
    open(next);
    tabs.querySelector(`[data-stage="${next}"]`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  const own = (/** @type {KeyboardEvent} */ event) => event.stopPropagation();
  chooser.addEventListener("change", () => open(chooser.value));
  chooser.addEventListener("keydown", own);
  opcodes.addEventListener("keydown", own);
  opcodes.addEventListener("change", () => {
    find.value = "";
    code.find("");
    const count = code.filter(opcodes.value);
    said.textContent = opcodes.value ? `${counted(count, "line")}, n and N` : "";
  });
  find.addEventListener("input", () => {
    opcodes.value = "";
    code.filter("");
    const count = code.find(find.value);
    said.textContent = find.value ? counted(count, "line") : "";
  });
  find.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key === "Enter") {
      code.nextHit(event.shiftKey ? -1 : 1);
      code.focus();
    } else if (event.key === "Escape") {
      find.value = said.textContent = "";
      code.find("");
      code.focus();
    } else return;
    event.preventDefault();
  });
  foldButton.addEventListener("click", () => {
    code.foldAll();
    drawFold();
  });
  copyButton.addEventListener("click", () => copy(code.text).then(() => acknowledge(copyButton, "Copied")));
  saveButton.addEventListener("click", saveAll);

  const self = {
    element,
    open,
    /** The same kernel has more stages than before: what is being read stays where it is. */
    refresh() {
      if (stage && shown && available(choice) === stage) draw();
      else open();
    },
    code,
    get stage() {
      return stage;
    },
    get choice() {
      return choice;
    },
    get shown() {
      return shown;
    },
    /** As if the reader had looked for it. @param {string} text */
    look(text) {
      find.value = text;
      find.dispatchEvent(new Event("input"));
    },
    focus: code.focus,
    destroy() {
      asked++;
      helped++;
      copyMenu.destroy();
      code.destroy();
    },
  };
  return self;
}
