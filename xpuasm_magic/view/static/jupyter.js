// @ts-check
/** Jupyter's own keys, where the reader's keys are ours. */

/**
 * Keys that are pressed in `root` are not Jupyter's shortcuts ("d d" deletes a cell), but for Ctrl+S.
 *
 * @param {HTMLElement} root @returns {() => void}
 */
export function jupyterKeys(root) {
  // Jupyter looks for the mark on the focused element itself, before the element hears of the key.
  const mark = (/** @type {Event} */ event) => {
    const { target } = event;
    if (!(target instanceof Element) || !root.contains(target)) return;
    const saves = event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey) && event.key === "s";
    if (saves) target.removeAttribute("data-lm-suppress-shortcuts");
    else target.setAttribute("data-lm-suppress-shortcuts", "true");
  };
  addEventListener("keydown", mark, true);
  return () => removeEventListener("keydown", mark, true);
}
