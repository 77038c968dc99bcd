// @ts-check
/** Where the data come from: a notebook's Python kernel, or the report page itself. */

import { reportSearch } from "./searching.js";
/** @import { Capture, Listing, Spans, Place, Host } from "./types.js" */

/** @param {string} text  base64 */
function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** @param {ArrayBuffer|DataView|Uint8Array} bytes  gzipped JSON */
async function unpack(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const PATIENCE = 60_000; // a kernel that runs a cell answers when the cell is done
const BEAT = 10_000; // a run that goes on tells of itself every second
const GONE = "The Python kernel that made this has been restarted or has ended: run the cell again to read more.";

/** Nobody is there any more who could answer. */
export const KernelGone = class extends Error {
  constructor() {
    super(GONE);
  }
};

/**
 * A notebook: data come from the Python kernel, by messages with a number.
 * @param {any} model  anywidget's
 * @param {() => boolean} live  the kernel that made the model is there
 * @returns {Promise<Host & {close: () => void}>}
 */
export async function notebookHost(model, live) {
  /** @type {Capture} */ let capture = await unpack(bytesOf(model.get("_payload")));
  /** @type {Map<string, {resolve: (answer: any) => void, reject: (error: Error) => void, timer: any}>} */
  const waiting = new Map();
  const view = Math.random().toString(36).slice(2); // several views of one model share its messages
  let last = 0;
  /** @type {Set<(progress: any) => void>} */
  const hearing = new Set();
  let heard = 0;

  /** @param {any} message @param {DataView[]} buffers */
  function onMessage(message, buffers) {
    if (message?.type === "progress") {
      heard = Date.now();
      for (const listener of hearing) listener(message);
      return;
    }
    const asked = message?.type === "answer" ? waiting.get(message.id) : undefined;
    if (!asked) return;
    waiting.delete(message.id);
    clearTimeout(asked.timer);
    if (message.error !== undefined) asked.reject(new Error(message.error));
    else unpack(buffers[0]).then(asked.resolve, asked.reject);
  }

  model.on("msg:custom", onMessage);
  return {
    kind: "notebook",
    allConfigs: model.get("_all_configs"),
    capture: () => capture,
    onCapture(listener) {
      let on = true;
      const changed = async () => {
        const packed = model.get("_payload");
        const newer = await unpack(bytesOf(packed));
        if (!on || packed !== model.get("_payload")) return; // a still newer one is on its way
        capture = newer;
        listener();
      };
      model.on("change:_payload", changed);
      return () => {
        on = false;
        model.off("change:_payload", changed);
      };
    },
    request(kind, params) {
      if (!live()) return Promise.reject(new KernelGone());
      const id = `${view}-${++last}`;
      return new Promise((resolve, reject) => {
        const asked = { resolve, reject, timer: setTimeout(giveUp, PATIENCE) };
        function giveUp() {
          if (Date.now() - heard < BEAT) asked.timer = setTimeout(giveUp, BEAT); // its cell goes on
          else {
            waiting.delete(id);
            reject(new Error("The Python kernel does not answer. It is busy, or it has been restarted: run the cell again."));
          }
        }
        waiting.set(id, asked);
        try {
          model.send({ type: "request", id, kind, params });
        } catch {
          // Jupyter's "Cannot send": the connection is closed.
          waiting.delete(id);
          clearTimeout(asked.timer);
          reject(new KernelGone());
        }
      });
    },
    onProgress(listener) {
      hearing.add(listener);
      return () => hearing.delete(listener);
    },
    chosen: model.get("_selected"),
    selected(id) {
      model.set("_selected", id);
      model.save_changes();
    },
    close() {
      model.off("msg:custom", onMessage);
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

/**
 * A report: everything lies in the page, each listing packed in an element of its own.
 * @returns {Host}
 */
export function reportHost() {
  /** @type {{capture: Capture, listings: Record<string, {element: string}|{error: string}>, figures: Record<string, string>}} */
  const data = JSON.parse(document.getElementById("xpuasm-data")?.textContent ?? "{}");
  /** @type {Map<string, {listing: Promise<Listing>, colours: (chunk: number) => Promise<Spans>}>} */
  const opened = new Map();

  /** A large page shows its table before all of it has been read: what is not there yet is on its way. @param {string} id */
  async function contentOf(id) {
    while (!document.getElementById(id)?.nextElementSibling && document.readyState === "loading") await new Promise((done) => setTimeout(done, 20));
    return document.getElementById(id)?.textContent ?? "";
  }

  /** An element has the listing, then the colours of each of its chunks, packed each. @param {Place} place */
  function open({ kernel, attempt, stage }) {
    const found = data.listings[JSON.stringify([kernel, attempt, stage])];
    if (!found) throw new Error("This listing is not in the report.");
    if ("error" in found) throw new Error(found.error);
    let one = opened.get(found.element);
    if (!one) {
      const parts = contentOf(found.element).then((text) => text.split(" "));
      one = {
        listing: parts.then(([listing]) => unpack(bytesOf(listing))),
        colours: async (/** @type {number} */ chunk) => unpack(bytesOf((await parts)[1 + chunk])),
      };
      opened.set(found.element, one);
      const [oldest] = opened.keys();
      if (opened.size > 8) opened.delete(oldest);
    }
    return one;
  }

  /** @type {Promise<any>|null} */ let words = null;

  /** Help for a token, by its text: the page has no Python to ask. @param {{stage: string, text: string, column: number}} place */
  async function glossary({ stage, text, column }) {
    const packed = await contentOf("xpuasm-help");
    if (!packed) return { help: null };
    words ??= unpack(bytesOf(packed));
    const { languages, tokens, index, entries } = await words;
    const language = languages[stage];
    if (!language) return { help: null };
    for (const token of text.slice(0, 4000).matchAll(new RegExp(tokens[language], "g"))) {
      if (token.index > column || column >= token.index + token[0].length) continue;
      const known = index[language] ?? {};
      return { help: Object.hasOwn(known, token[0]) ? entries[known[token[0]]] : null };
    }
    return { help: null };
  }

  /** @param {{kernel: string, attempt: number|null}} code */
  async function analysis({ kernel, attempt }) {
    const element = attempt === null && Object.hasOwn(data.figures, kernel) ? data.figures[kernel] : null;
    if (!element) throw new Error("The report has no figures of this build.");
    return unpack(bytesOf(await contentOf(element)));
  }

  const search = reportSearch(data, contentOf);

  return {
    kind: "page",
    allConfigs: false,
    capture: () => data.capture,
    onCapture: () => () => {},
    onProgress: () => () => {},
    chosen: "",
    async request(kind, params) {
      if (kind === "help") return glossary(/** @type {any} */ (params));
      if (kind === "search") return search(/** @type {any} */ (params));
      if (kind === "analysis") return analysis(/** @type {any} */ (params));
      const { listing, colours } = open(/** @type {Place} */ (params));
      if (kind === "listing") return listing;
      const { start } = /** @type {{start: number}} */ (params);
      return colours(start / (await listing).chunk);
    },
    selected() {},
  };
}
