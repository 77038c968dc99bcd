// @ts-check
/** The entry: anywidget calls `render`, the report page `openReport`. */

import { h } from "./dom.js";
import { show } from "./browser.js";
import { notebookHost, reportHost } from "./hosts.js";

/** The report page calls this. @param {HTMLElement} element */
export function openReport(element) {
  show(reportHost(), element);
}

export default {
  /** @param {{model: any, el: HTMLElement, style: string}} context */
  async render({ model, el, style }) {
    // Jupyter's mark of a model without its kernel: then the static output is read, which has a listing too.
    const live = () => !el.closest(".jupyter-widgets-disconnected");
    if (!live()) return undefined;
    const host = await notebookHost(model, live);
    const hideStatic = h("style", { text: `.xpuasm-static[data-view="${CSS.escape(model.get("_static_id"))}"] { display: none; }` });
    el.append(h("style", { text: style }), hideStatic);
    const hide = show(host, el);
    return () => {
      hide();
      host.close();
      el.replaceChildren();
    };
  },
};
