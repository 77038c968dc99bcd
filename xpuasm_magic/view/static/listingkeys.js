// @ts-check
/** The keys of a listing. */

import { OPCODE } from "./dialects.js";

/** @param {HTMLElement} view @param {any} at  the listing's moves @param {ReturnType<typeof listingSelection>} selection @param {import("./listing.js").Tell} tell */
export function listingKeys(view, at, selection, tell) {
  function help() {
    const column = OPCODE.exec(at.text(at.current))?.[0].length ?? 0;
    const box = at.box(at.current);
    if (box) tell.help(at.current, Math.max(0, column - 1), view.getBoundingClientRect().left + 80, box.bottom);
  }

  /** @type {Record<string, () => unknown>} false: the key is left to the browser */
  const plainKeys = {
    g: at.first,
    G: at.last,
    "/": tell.find,
    n: () => at.nextHit(1),
    N: () => at.nextHit(-1),
    z: () => at.unfold() || at.fold(),
    Z: at.foldAll,
    h: () => at.current >= 0 && help(),
    // As in a tree; a listing that is scrolled to the right is scrolled back first.
    ArrowLeft: () => view.scrollLeft === 0 && at.current >= 0 && at.fold(),
    ArrowRight: () => view.scrollLeft === 0 && at.current >= 0 && at.unfold(),
  };
  /** @type {Record<string, () => unknown>} */
  const keys = {
    Home: at.first,
    End: at.last,
    ArrowDown: () => at.step(1),
    ArrowUp: () => at.step(-1),
    PageDown: () => at.step(at.page),
    PageUp: () => at.step(-at.page),
    Enter: () => at.current >= 0 && at.follow(at.current),
    Backspace: at.back,
  };

  view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const held = event.ctrlKey || event.metaKey || event.altKey;
    tell.unhelp();
    const act = event.key === "a" && (event.ctrlKey || event.metaKey) ? selection.all : (held ? undefined : plainKeys[event.key]) ?? keys[event.key];
    if (!act || act() === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
