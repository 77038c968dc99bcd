// @ts-check
/** Which lines of two listings belong together. */

/** @import { Listing } from "./types.js" */

/**
 * A listing with what ties its lines to other stages' lines, indexed when first asked for.
 *
 * @param {Listing} listing
 */
export function linkable(listing) {
  const lines = listing.text.split("\n");
  /** @type {(string|null)[]|null} of each line; null: what the listing itself says */ let borrowed = null;
  /** The value of a line in a list of `[line, file, source line]` where it changes. @param {number[][]} runs @param {number} index */
  const valueAt = (runs, index) => {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle][0] <= index) low = middle + 1;
      else high = middle;
    }
    const loc = runs[low - 1];
    return loc && loc[1] >= 0 ? `${listing.files[loc[1]]}:${loc[2]}` : null;
  };
  /** @param {number} index @returns {string|null} `file:line`; null: not known */
  const placeOf = (index) => (borrowed ? borrowed[index] ?? null : valueAt(listing.locs, index));
  /** @param {number} index */
  const callOf = (index) => valueAt(listing.calls, index);
  /** @type {Map<string, number[]>|null} */ let byPlace = null;
  /** @type {Map<number, number[]>|null} */ let byId = null;

  /** @template K @param {Map<K, number[]>} map @param {K} key @param {number} index */
  const add = (map, key, index) => {
    const have = map.get(key);
    if (have) have.push(index);
    else map.set(key, [index]);
  };
  const ids = () => {
    if (!byId) {
      byId = new Map();
      for (let index = 0; index < listing.ids.length; index++) for (const id of listing.ids[index]) add(byId, id, index);
    }
    return byId;
  };
  const known = () => {
    if (!byPlace) {
      byPlace = new Map();
      for (let index = 0; index < lines.length; index++) {
        const place = placeOf(index);
        if (place !== null) add(byPlace, place, index);
        const call = listing.calls.length ? callOf(index) : null;
        if (call !== null && call !== place) add(byPlace, call, index);
      }
    }
    return byPlace;
  };
  return {
    listing,
    lines,
    /** @param {number} index */
    place: placeOf,
    /** Where the function that the line is in was called from the kernel. @param {number} index */
    call: callOf,
    /** @param {number} index */
    ids: (index) => listing.ids[index] ?? [],
    get numbered() {
      return listing.ids.length > 0;
    },
    get located() {
      return listing.locs.length > 0;
    },
    /** @param {Iterable<number>} wanted @returns {number[]} */
    withIds(wanted) {
      const found = new Set();
      for (const id of wanted) for (const index of ids().get(id) ?? []) found.add(index);
      return [...found].sort((a, b) => a - b);
    },
    /** @param {string} place @returns {number[]} */
    withPlace: (place) => known().get(place) ?? [],
    /** Source lines by vISA number, for a stage that has numbers only. @param {Linkable} other */
    borrow(other) {
      borrowed = lines.map((_, index) => {
        for (const id of listing.ids[index] ?? []) {
          for (const at of other.withIds([id])) if (other.place(at) !== null) return other.place(at);
        }
        return null;
      });
      byPlace = null;
    },
  };
}

/** @typedef {ReturnType<typeof linkable>} Linkable */

/**
 * The lines of `to` that belong to a line of `from`: by vISA number where both have them, else by source line.
 *
 * @param {Linkable} from @param {number} index @param {Linkable} to
 */
export function linkedLines(from, index, to) {
  const numbers = from.ids(index);
  if (numbers.length && to.numbered) {
    const found = to.withIds(numbers);
    if (found.length) return found;
  }
  const place = from.place(index);
  const found = place === null ? [] : to.withPlace(place);
  // The kernel's own source knows an inlined function by its call only.
  const call = found.length ? null : from.call(index);
  return call === null ? found : to.withPlace(call);
}
