// @ts-check
/** What the reader chose last time. A page from a file, or a strict browser, remembers nothing. */

/** @param {string} name @returns {Record<string, any>} */
export function recall(name) {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "{}");
    return kept !== null && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

/** @param {string} name @param {Record<string, any>} value */
export function memorize(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It is a comfort only.
  }
}
