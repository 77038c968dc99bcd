// @ts-check
/** Jupyter's own keys, where the reader's keys are ours. */

/**
 * Keys that are pressed in `root` are not Jupyter's shortcuts ("d d" deletes a cell), but for Ctrl+S.
 *
 * @param {HTMLElement} root @returns {() => void}
 */
export function jupyterKeys(root) {
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const { target } = event;
    if (!(target instanceof Element) || !root.contains(target)) return;
    // Jupyter looks for the mark on the focused element itself, before the element hears of the key.
    target.setAttribute("data-lm-suppress-shortcuts", "true");
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || !root.parentElement) return;
    event.stopImmediatePropagation();
    const passed = root.parentElement.dispatchEvent(new KeyboardEvent(event.type, event));
    if (!passed) event.preventDefault(); // Jupyter has taken it; else it is the browser's
  };
  addEventListener("keydown", pressed, true);
  return () => removeEventListener("keydown", pressed, true);
}
