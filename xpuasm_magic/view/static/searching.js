// @ts-check
/** A report searches its own listings, in a worker: the page stays at the reader's service. */

import { listingMatcher } from "./matching.js";
/** @import { Capture, SearchSlice } from "./types.js" */

const SLICE = 250; // milliseconds
const PATIENCE_OF_ONE = 5000; // an expression like (a+)+$ can take for ever

/** @returns {{find: (packed: string, query: object) => Promise<any>, end: () => void}} */
function matchingWorker() {
  let worker;
  try {
    const url = URL.createObjectURL(new Blob([`const find = (${listingMatcher})();
      onmessage = ({ data: { packed, query } }) => find(packed, query).then((found) => postMessage({ found }), (error) => postMessage({ error: String(error) }));`]));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
  } catch {
    const find = listingMatcher(); // a browser that lets a page have no worker
    return { find, end() {} };
  }
  const own = worker;
  return {
    find: (packed, query) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          own.terminate();
          reject(new Error(`this regular expression takes more than ${PATIENCE_OF_ONE / 1000} s for a listing; make it simpler`));
        }, PATIENCE_OF_ONE);
        own.onmessage = ({ data }) => {
          clearTimeout(timer);
          if (data.error) reject(new Error(data.error));
          else resolve(data.found);
        };
        own.onerror = (event) => {
          event.preventDefault();
          clearTimeout(timer);
          reject(new Error("the search could not be run in this browser"));
        };
        own.postMessage({ packed, query });
      }),
    end: () => own.terminate(),
  };
}

/**
 * @param {{capture: Capture, listings: Record<string, {element: string}|{error: string}>}} data
 * @param {(element: string) => Promise<string>} contentOf
 */
export function reportSearch(data, contentOf) {
  /** @type {ReturnType<typeof matchingWorker>|null} */ let worker = null;

  /** @param {{text: string, regex: boolean, whole: boolean, stages: string[], start: number}} query @returns {Promise<SearchSlice>} */
  return async (query) => {
    const places = data.capture.kernels.flatMap((kernel) => query.stages.filter((stage) => kernel.stages.some((one) => one.name === stage)).map((stage) => ({ kernel: kernel.id, stage })));
    if (query.regex) {
      try {
        new RegExp(query.text);
      } catch (error) {
        throw new Error(`not a regular expression: ${error instanceof Error ? error.message : error}`);
      }
    }
    if (query.start === 0 || !worker) {
      worker?.end();
      worker = matchingWorker();
    }
    const own = worker;
    /** @type {SearchSlice} */ const slice = { found: [], unread: [], next: null, total: places.length };
    const end = performance.now() + SLICE;
    let at = query.start;
    for (; at < places.length && (at === query.start || performance.now() < end); at++) {
      const place = places[at];
      const listing = data.listings[JSON.stringify([place.kernel, null, place.stage])];
      if (!listing || "error" in listing) {
        slice.unread.push({ ...place, message: listing ? listing.error : "This listing is not in the report." });
        continue;
      }
      const found = await own.find((await contentOf(listing.element)).split(" ", 1)[0], query);
      if (found.count) slice.found.push({ ...place, ...found });
    }
    if (at < places.length) slice.next = at;
    else {
      own.end();
      if (worker === own) worker = null;
    }
    return slice;
  };
}
