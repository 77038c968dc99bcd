// @ts-check
/** Where the data come from: a notebook's Python kernel, or the report page itself. */

/** @import { Capture, Listing, Spans, Place, Host } from "./types.js" */

/** @param {ArrayBuffer|DataView|Uint8Array} bytes  gzipped JSON */
async function unpack(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const PATIENCE = 60_000; // a kernel that runs a cell answers when the cell is done

/**
 * A notebook: data come from the Python kernel, by messages with a number.
 * @param {any} model  anywidget's
 * @returns {Host & {close: () => void}}
 */
export function notebookHost(model) {
  /** @type {Map<string, {resolve: (answer: any) => void, reject: (error: Error) => void, timer: any}>} */
  const waiting = new Map();
  const view = Math.random().toString(36).slice(2); // several views of one model share its messages
  let last = 0;

  /** @param {any} message @param {DataView[]} buffers */
  function onMessage(message, buffers) {
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
    capture: () => model.get("_payload"),
    onCapture(listener) {
      model.on("change:_payload", listener);
      return () => model.off("change:_payload", listener);
    },
    request(kind, params) {
      const id = `${view}-${++last}`;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error("The Python kernel does not answer. It is busy, or it has been restarted: run the cell again."));
        }, PATIENCE);
        waiting.set(id, { resolve, reject, timer });
        model.send({ type: "request", id, kind, params });
      });
    },
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
  /** @type {{capture: Capture, listings: Record<string, {element: string}|{error: string}>}} */
  const data = JSON.parse(document.getElementById("xpuasm-data")?.textContent ?? "{}");
  /** @type {Map<string, Promise<Listing & {spans: Spans}>>} */
  const opened = new Map();

  /** @param {Place} place */
  function listing({ kernel, attempt, stage }) {
    const found = data.listings[JSON.stringify([kernel, attempt, stage])];
    if (!found) throw new Error("This listing is not in the report.");
    if ("error" in found) throw new Error(found.error);
    let promise = opened.get(found.element);
    if (!promise) {
      const packed = atob(document.getElementById(found.element)?.textContent ?? "");
      promise = unpack(Uint8Array.from(packed, (character) => character.charCodeAt(0)));
      opened.set(found.element, promise);
      const [oldest] = opened.keys();
      if (opened.size > 8) opened.delete(oldest);
    }
    return promise;
  }

  /** @type {Promise<any>|null} */ let words = null;

  /** Help for a token, by its text: the page has no Python to ask. @param {{stage: string, text: string, column: number}} place */
  async function glossary({ stage, text, column }) {
    const packed = document.getElementById("xpuasm-help")?.textContent;
    if (!packed) return { help: null };
    words ??= unpack(Uint8Array.from(atob(packed), (character) => character.charCodeAt(0)));
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

  return {
    kind: "page",
    allConfigs: false,
    capture: () => data.capture,
    onCapture: () => () => {},
    async request(kind, params) {
      if (kind === "help") return glossary(/** @type {any} */ (params));
      const whole = await listing(/** @type {Place} */ (params));
      if (kind === "listing") return whole;
      const { start } = /** @type {{start: number}} */ (params);
      return { start, classes: whole.spans.classes, lines: whole.spans.lines.slice(start, start + whole.chunk) };
    },
    selected() {},
  };
}
