// @ts-check
/** A kernel's config as settings: what tells it from its siblings comes first. */

/** @import { Kernel } from "./types.js" */
/** @import { CellOf } from "./groups.js" */

const SHORT = /** @type {Record<string, string>} */ ({ num_warps: "warps", num_stages: "stages", grf_mode: "grf" });

/** @param {string} setting  e.g. `num_warps=4` */
const short = (setting) => setting.replace(/^\w+/, (name) => (Object.hasOwn(SHORT, name) ? SHORT[name] : name));

/** @param {Kernel[]} kernels  all of a capture @param {CellOf} value */
export function settingsOf(kernels, value) {
  /** @type {Map<Kernel, string[]>} */ const all = new Map();
  /** @type {Map<string, string[][]>} */ const byGroup = new Map();
  for (const kernel of kernels) {
    const settings = String(value(kernel, "config") ?? "").split(" ").filter(Boolean);
    all.set(kernel, settings);
    byGroup.set(kernel.group, [...(byGroup.get(kernel.group) ?? []), settings]);
  }
  const told = [...all.values()].filter((settings) => settings.length);
  const everywhere = told.length > 1 ? told[0].filter((setting) => told.every((settings) => settings.includes(setting))) : [];

  /** @param {Kernel} kernel */
  return (kernel) => {
    const own = all.get(kernel) ?? [];
    const siblings = byGroup.get(kernel.group) ?? [];
    const telling = own.filter((setting) => !siblings.every((settings) => settings.includes(setting)));
    const rest = own.filter((setting) => !telling.includes(setting) && !everywhere.includes(setting));
    return { telling: telling.map(short).join(" "), rest: rest.map(short).join(" ") };
  };
}
