// @ts-check
/** Small things: elements, numbers and text for people, the clipboard. */

/** @import { Cell } from "./types.js" */

const SPOKEN = new Set(["title", "aria-label"]); // attributes that people read

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]  `class`, `text`, `on` (listeners), else attributes; null: left out
 * @param {(Node|string|null)[]} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (SPOKEN.has(name)) element.setAttribute(name, visible(String(value)));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const FOCUSED = "a[href], button, input, select, summary, [tabindex]";

/**
 * Newer children in place of others: what was unfolded stays so, and what had the focus has it again.
 *
 * @param {HTMLElement} parent @param {(Node|string)[]} children
 */
export function renew(parent, ...children) {
  const all = (/** @type {string} */ selector) => /** @type {any[]} */ ([...parent.querySelectorAll(selector)]);
  const held = all(FOCUSED).indexOf(document.activeElement);
  const open = all("details").map((one) => one.open);
  parent.replaceChildren(...children);
  for (const [index, one] of all("details").entries()) one.open ||= open[index] ?? false;
  if (held >= 0) all(FOCUSED)[held]?.focus({ preventScroll: true });
}

export const number = new Intl.NumberFormat("en-US");

/** @param {Cell} cell */
export function cellText(cell) {
  if (cell === null) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return typeof cell === "number" ? number.format(cell) : cell;
}

/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;

// Characters that change the order or the look of others: shown, never obeyed. The same as in `highlight.py`.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
/** @param {string} text */
export const visible = (text) => text.replace(CONTROLS, "␦");

/** @param {string} text @param {string} name */
export function save(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No permission, or no secure context: the older way.
    const area = h("textarea", { class: "xa-offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Says on the button itself that it has done its work. @param {HTMLButtonElement} button @param {string} said */
export function acknowledge(button, said) {
  const text = button.textContent;
  button.textContent = said;
  button.disabled = true;
  setTimeout(() => {
    button.textContent = text;
    button.disabled = false;
  }, 1200);
}
