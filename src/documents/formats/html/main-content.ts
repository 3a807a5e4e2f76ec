import { type Element, findElement } from "./element.ts";

/**
 * The element that holds the matter of a page. Goes down from the whole as long as what is left behind hardly says
 * anything: in doubt more is kept.
 */
export function findMain(root: Element): Element {
  const named = findNamed(root, root.plainLength);
  let main = named ?? root;
  for (let next = onlyMatter(main); next !== undefined; next = onlyMatter(next)) main = next;
  return main;
}

/** What the page itself calls its matter, if most of the text is in there. */
function findNamed(root: Element, plainLength: number): Element | undefined {
  const isMost = (element: Element, share: number) =>
    element.textLength > 0 && element.plainLength >= plainLength * share;
  const main = findElement(root, ({ name, attributes }) => name === "main" || attributes.role === "main");
  if (main !== undefined && isMost(main, 0.3)) return main;
  const article = findElement(root, (element) => element.name === "article" && isMost(element, 0.6));
  return article;
}

/** The one part that says something, if it is the only one. */
function onlyMatter(element: Element): Element | undefined {
  let only: Element | undefined;
  for (const child of element.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") return undefined;
      continue;
    }
    if (child.isAside || isSlight(child)) continue;
    if (only !== undefined) return undefined;
    only = child;
  }
  return only !== undefined && frameNames.has(only.name) ? only : undefined;
}

const frameNames: ReadonlySet<string> = new Set([
  "html",
  "body",
  "div",
  "section",
  "main",
  "article",
  "center",
  "form",
]);

const slightLength = 60;

function isSlight(element: Element): boolean {
  if (element.kind.isHeading) return element.textLength === 0;
  if (element.textLength === 0) return !tellsWithoutWords(element);
  return element.plainLength < slightLength && element.linkLength > element.plainLength * 2;
}

function tellsWithoutWords(element: Element): boolean {
  return wordless.has(element.name) || findElement(element, ({ name }) => wordless.has(name)) !== undefined;
}

const wordless: ReadonlySet<string> = new Set([
  "img",
  "picture",
  "video",
  "audio",
  "iframe",
  "math",
  "table",
]);
