// @ts-check
/** A small chart beside the scroll bar: a figure over the whole listing. */

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 22; // pixels; as in the stylesheet

export function listingProfile() {
  const element = h("div", { class: "xa-profile", "aria-hidden": "true", hidden: true });

  return {
    element,
    /**
     * @param {number} height @param {{count: number, lineAt: (row: number) => number, rowAt: (line: number) => number}} folds
     * @param {{values: Int32Array, most: number, peak: number|null}|null} figure
     */
    draw(height, folds, figure) {
      element.hidden = !figure || !height || !folds.count;
      element.replaceChildren();
      if (!figure || element.hidden) return;
      const { values, most, peak } = figure;
      const rows = folds.count;
      let path = "M0 0";
      for (let y = 0; y < height; y++) {
        const last = Math.max(Math.floor(((y + 1) * rows) / height), Math.floor((y * rows) / height) + 1);
        let value = 0;
        for (let row = Math.floor((y * rows) / height); row < Math.min(last, rows); row++) value = Math.max(value, values[folds.lineAt(row)]);
        path += `H${((WIDTH * value) / most).toFixed(1)}V${y + 1}`;
      }
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("width", String(WIDTH));
      svg.setAttribute("height", String(height));
      const area = document.createElementNS(SVG, "path");
      area.setAttribute("d", `${path}H0Z`);
      svg.append(area);
      if (peak !== null) {
        const mark = document.createElementNS(SVG, "rect");
        mark.setAttribute("y", String(Math.min(height - 2, Math.floor((folds.rowAt(peak) * height) / rows))));
        mark.setAttribute("width", String(WIDTH));
        mark.setAttribute("height", "2");
        svg.append(mark);
      }
      element.append(svg);
    },
  };
}
