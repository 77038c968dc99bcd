// @ts-check
/** The whole view of one capture. */

import { addressOf, addressText } from "./address.js";
import { counted, h, renew, visible } from "./dom.js";
import { jupyterKeys } from "./jupyter.js";
import { followTheme } from "./theme.js";
import { notesView } from "./notes.js";
import { progressBar } from "./progress.js";
import { kernelTable } from "./table.js";
import { kernelPane } from "./kernel.js";
import { matrixView } from "./matrix.js";
import { kernelSearch } from "./search.js";
import { keysDialog } from "./keys.js";
/** @import { Host } from "./types.js" */

/** @param {Host} host @param {HTMLElement} element @returns {() => void} clean-up */
export function show(host, element) {
  const verdict = h("p", { class: "xa-verdict" });
  const top = h("div");
  const lost = h("div"); // where an address leads nowhere
  const foot = h("footer", { class: "xa-foot" });
  const root = h("div", { class: "xpuasm", "data-host": host.kind, role: "group", "aria-label": "Captured kernels" });
  /** @type {string|null} */ let chosen = host.chosen || null;

  /** @param {string} id */
  function choose(id) {
    if (id === chosen) return;
    chosen = id;
    table.select(id);
    pane.show(host.capture().kernels.find((kernel) => kernel.id === id) ?? null);
    host.selected(id);
    moved(pane.stage, null, "");
  }

  /** A report's address leads to what is read. @param {string} stage @param {number|null} line @param {string} build  empty: the one that ships */
  function moved(stage, line, build) {
    if (host.kind !== "page" || !chosen) return;
    history.replaceState(null, "", addressText({ kernel: chosen, build, stage, line }));
  }

  /** Where the page's address leads. */
  function goToAddress() {
    const { kernel, ...target } = addressOf(location.hash);
    lost.replaceChildren();
    if (!kernel) return;
    if (host.capture().kernels.some((one) => one.id === kernel)) {
      choose(kernel);
      pane.goto(target);
    } else lost.replaceChildren(notesView([{ severity: "warning", message: `This report has no kernel “${kernel}”, to which the address leads.`, path: null }], 1));
  }

  const table = kernelTable(choose, () => pane.focus(), host.allConfigs);
  const pane = kernelPane(host, table.value, moved);
  const search = kernelSearch(host, {
    name(id) {
      const kernel = host.capture().kernels.find((one) => one.id === id);
      return kernel ? [table.value(kernel, "name"), table.value(kernel, "config")].filter(Boolean).join(" ") : id;
    },
    async open({ kernel, stage, line, text }, firmly) {
      choose(kernel);
      if ((await pane.goto({ stage, line, text })) && firmly) pane.focus();
    },
    only: table.only,
    shown(open) {
      table.tools.hidden = table.box.hidden = open;
      if (!open) table.focusRow();
    },
  });
  const keys = keysDialog();
  const progress = progressBar(host);
  root.append(progress.element, verdict, top, lost, table.tools, table.box, search.element, pane.element, foot, keys);
  table.tools.append(
    h("button", { class: "xa-button", type: "button", text: "Search code", title: "Which kernels contain it   s", on: { click: search.show } }),
    h("button", { class: "xa-button", type: "button", text: "?", "aria-label": "Keys", title: "Keys   ?", on: { click: () => keys.showModal() } }),
  );

  function update() {
    const capture = host.capture();
    const running = capture.state === "running";
    progress.show(running);
    verdict.textContent = visible(capture.verdict);
    verdict.hidden = running && capture.kernels.length === 0;
    renew(top, notesView(capture.notes, 3), ...(capture.matrix ? [matrixView(capture.matrix, host.kind === "notebook" ? pane.compare : null)] : []));
    table.show(capture, chosen);
    search.update(capture);
    if (!capture.kernels.some((kernel) => kernel.id === chosen)) chosen = table.order[0]?.id ?? null;
    if (chosen) table.select(chosen);
    pane.show(capture.kernels.find((kernel) => kernel.id === chosen) ?? null);
    const versions = Object.entries(capture.versions).map(([name, version]) => `${name} ${version}`).join(" · ");
    renew(foot,
      ...(capture.fidelity.length
        ? [h("details", {}, h("summary", { text: `${counted(capture.fidelity.length, "way")} in which hardware can differ` }), h("ul", {}, ...capture.fidelity.map((text) => h("li", { text: visible(text) }))))]
        : []),
      h("span", { class: "xa-versions", text: visible(versions) }),
    );
    foot.hidden = !versions && !capture.fidelity.length;
  }

  const letJupyterSave = jupyterKeys(root);
  // A page is ours as a whole: its keys work before anything in it has the focus.
  (host.kind === "page" ? document : root).addEventListener("keydown", (/** @type {any} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const everywhere = (event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "f";
    if (target.matches("input, select, textarea") && !everywhere) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (everywhere || (event.key === "s" && plain)) search.show();
    else if (event.key === "/" && plain) table.focusFilter();
    else if (event.key === "Escape") search.back() || table.focusRow();
    else if (event.key === "?") keys.showModal();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const stopTheme = followTheme(root);
  const stopCapture = host.onCapture(update);
  element.append(root);
  pane.start();
  update();
  if (host.kind === "page") {
    if (location.hash) goToAddress();
    addEventListener("hashchange", goToAddress);
  }
  return () => {
    stopTheme();
    stopCapture();
    removeEventListener("hashchange", goToAddress);
    letJupyterSave();
    progress.destroy();
    search.destroy();
    table.destroy();
    pane.destroy();
    root.remove();
  };
}
