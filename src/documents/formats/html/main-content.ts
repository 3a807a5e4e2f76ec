import { type Element, findElement, noAttributes } from "./element.ts";

/** Returns the element with the content of a page. Descends while the omitted elements have hardly any text. */
export function findMain(root: Element): Element {
  const named = findNamed(root, root.plainLength);
  let main = named ?? root;
  for (let next = onlyContentChild(main); next !== undefined; next = onlyContentChild(next)) main = next;
  return main;
}

/** Returns the element that the page marks as its content, if it contains enough of the text. */
function findNamed(root: Element, plainLength: number): Element | undefined {
  const isMost = (element: Element, share: number) =>
    element.textLength > 0 && element.plainLength >= plainLength * share;
  const main = findElement(root, ({ name, attributes }) => name === "main" || attributes.role === "main");
  if (main !== undefined && isMost(main, 0.3)) return main;
  return findElement(root, (element) => element.name === "article" && isMost(element, 0.6));
}

function onlyContentChild(element: Element): Element | undefined {
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

const frameNames: ReadonlySet<string> = new Set("html body div section main article center form".split(" "));

const slightLength = 60;

function isSlight(element: Element): boolean {
  if (element.kind.isHeading) return element.textLength === 0;
  const isMedia = ({ name }: Element) => media.has(name);
  if (element.textLength === 0) return !isMedia(element) && findElement(element, isMedia) === undefined;
  return element.plainLength < slightLength && element.linkLength > element.plainLength * 2;
}

const media: ReadonlySet<string> = new Set("img picture video audio iframe math table".split(" "));

/** Whether a closed element is outside of the content: navigation, advertisements, consent forms. False when unsure. */
export function isAside(element: Element): boolean {
  switch (element.name) {
    case "nav":
    case "dialog":
    case "menu":
    case "search":
      return true;
    case "button":
      return !isWholeHeading(element);
    case "footer":
      return !isWithinContent(element) || element.plainLength < 300 || isMostlyLinks(element);
    case "aside":
      return !isWithinContent(element) || isMostlyLinks(element);
    case "header":
      return !isWithinContent(element) && !element.holdsTopHeading;
    case "form":
      return element.plainLength < 200 && !element.holdsTopHeading;
    case "html":
    case "body":
    case "main":
    case "article":
    case "pre":
    case "code":
      return false;
    default:
      if (element.attributes === noAttributes) return false;
      return asideRoles.has(element.attributes.role ?? "") || isNamedLikeAside(element);
  }
}

const asideRoles: ReadonlySet<string> = new Set(
  "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split(" "),
);

const namedElements: ReadonlySet<string> = new Set(
  "div section ul ol dl table td p a span iframe".split(" "),
);

/** Words in a class or id, or parts of words with only this meaning. */
const asideWords =
  /(?:^|[-_\s])(?:ads?|footer|headerlink|masthead|menu|modal|nav|overlay|pager|popup|promo|related|rss|shar(?:e|ing)|skip|social|subscribe|toc|toolbar)(?:$|[-_\s])|advert|breadcrumb|consent|cookie|edit-?section|gdpr|hash-?link|navbar|navigation|navbox|newsletter|noprint|outbrain|pagination|paywall|permalink|sidebar|skip-?link|sponsor|sr-only|screen-reader|taboola|visually-?hidden/i;

const mostWordsOfAside = 400;

function isNamedLikeAside(element: Element): boolean {
  const { class: classes, id } = element.attributes;
  if ((classes === undefined && id === undefined) || !namedElements.has(element.name)) return false;
  // The frame of a page may have a class such as "has-sidebar".
  const isSmall = element.plainLength < mostWordsOfAside && !element.holdsTopHeading;
  if (!isSmall && !isMostlyLinks(element)) return false;
  if (asideWords.test(classes ?? "")) return true;
  // Ids of sections repeat their headings: "Cookies", "Navigation".
  const isSection = element.name === "section" || /(?:^|\s)section(?:\s|$)/.test(classes ?? "");
  return !isSection && asideWords.test(id ?? "");
}

function isMostlyLinks({ plainLength, linkLength }: Element): boolean {
  return linkLength > plainLength;
}

function isWithinContent(element: Element): boolean {
  for (let above = element.parent; above; above = above.parent) {
    if (contentNames.has(above.name) || above.attributes.role === "main") return true;
  }
  return false;
}

const contentNames: ReadonlySet<string> = new Set(["main", "article", "blockquote", "figure", "td"]);

/** Whether a button is the whole heading of a section, which it opens. */
function isWholeHeading(button: Element): boolean {
  const title = button.parent;
  if (title === undefined || !/^(?:h[1-6]|summary|dt)$/.test(title.name)) return false;
  return title.children.every(
    (child) => child === button || (typeof child === "string" && child.trim() === ""),
  );
}
