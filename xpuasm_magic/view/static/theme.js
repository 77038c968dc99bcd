// @ts-check
/** Light or dark, as the page around us says it. */

/** Jupyter, VS Code and Colab each say it in their own way; else the ground that is really there decides. */
function darkTheme() {
  const { body, documentElement } = document;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "false";
  if (/\bvscode-(dark|high-contrast)\b(?!-light)/.test(body.className)) return true;
  if (/\bvscode-light\b/.test(body.className)) return false;
  const colab = documentElement.getAttribute("theme");
  if (colab) return colab === "dark";
  const ground = getComputedStyle(body).backgroundColor.match(/[\d.]+/g)?.map(Number);
  if (ground && (ground.length < 4 || ground[3] > 0)) return ground[0] + ground[1] + ground[2] < 384;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {HTMLElement} root @returns {() => void} */
export function followTheme(root) {
  const apply = () => {
    root.dataset.theme = darkTheme() ? "dark" : "light";
  };
  const observer = new MutationObserver(apply);
  for (const element of [document.body, document.documentElement]) {
    observer.observe(element, { attributes: true, attributeFilter: ["class", "theme", "data-jp-theme-light"] });
  }
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", apply);
  apply();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", apply);
  };
}
