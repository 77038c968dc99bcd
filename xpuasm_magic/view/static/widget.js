// @ts-check
/** The entry: anywidget calls `render`, the report page `openReport`. */

import { show } from "./browser.js";
import { notebookHost, reportHost } from "./hosts.js";

/** The report page calls this. @param {HTMLElement} element */
export function openReport(element) {
  show(reportHost(), element);
}

export default {
  /** @param {{model: any, el: HTMLElement}} context */
  render({ model, el }) {
    const host = notebookHost(model);
    const hide = show(host, el);
    return () => {
      hide();
      host.close();
    };
  },
};
