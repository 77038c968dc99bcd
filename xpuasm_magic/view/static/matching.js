// @ts-check
/** Looking for something in a packed listing; `search.py` does the same in a notebook. */

/**
 * Names nothing outside of itself: a worker is made of its text.
 */
export function listingMatcher() {
  const LINES = 5; // told of one listing; the others are counted
  const WIDTH = 200;

  /** @param {string} text @param {number} at */
  function excerpt(text, at) {
    const start = text.length > WIDTH ? Math.max(0, at - Math.floor(WIDTH / 3)) : 0;
    return (start ? "…" : "") + text.slice(start, start + WIDTH).trim() + (start + WIDTH < text.length ? "…" : "");
  }

  /**
   * @param {string} packed  base64 of gzipped JSON
   * @param {{text: string, regex: boolean, whole: boolean}} query
   * @returns {Promise<{count: number, lines: [number, string][]}>}
   */
  return async (packed, query) => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const listing = JSON.parse(await new Response(stream).text());
    const needle = query.text.toLowerCase();
    /** @type {[number, string][]} */ const lines = [];
    if (!query.regex && !listing.text.toLowerCase().includes(needle)) return { count: 0, lines };
    const pattern = query.regex ? new RegExp(query.text, "i") : null;
    const coded = !query.whole && listing.pcs.length > 0;
    let count = 0;
    for (const [index, line] of listing.text.split("\n").entries()) {
      if (coded && listing.pcs[index] === null) continue;
      const at = pattern ? line.search(pattern) : line.toLowerCase().indexOf(needle);
      if (at < 0) continue;
      count++;
      if (lines.length < LINES) lines.push([index, excerpt(line, at)]);
    }
    return { count, lines };
  };
}
