import { codeSpan, codeText } from "./code.ts";
import { type Element, textOf } from "./element.ts";
import type { InlineWriter } from "./inline-writer.ts";
import { formula } from "./math.ts";
import { isBackLink, noteReference } from "./notes.ts";
import { isLeftOut, type Page } from "./page.ts";

/** Writes what an element holds into a paragraph. */
export function writeInline(element: Element, writer: InlineWriter, page: Page): void {
  for (const child of element.children) {
    if (typeof child === "string") writer.text(child);
    else writeInlineElement(child, writer, page);
  }
}

/** Writes an element into a paragraph, also one that would stand on lines of its own. */
export function writeInlineElement(element: Element, writer: InlineWriter, page: Page): void {
  if (isLeftOut(element, page)) return;
  const write = writers[element.name];
  if (write !== undefined) write(element, writer, page);
  else if (element.isBlock) writeBlock(element, writer, page);
  else writeInline(element, writer, page);
}

type WriteInline = (element: Element, writer: InlineWriter, page: Page) => void;

/** All others are what they hold. */
const writers: Readonly<Partial<Record<string, WriteInline>>> = Object.assign(Object.create(null), {
  b: marked("**"),
  strong: marked("**"),
  i: marked("*"),
  em: marked("*"),
  cite: marked("*"),
  dfn: marked("*"),
  var: marked("*"),
  del: marked("~~"),
  s: marked("~~"),
  strike: marked("~~"),
  q: marked("“", "”"),
  sub: marked("<sub>", "</sub>"),
  sup: writeRaised,
  kbd: marked("<kbd>", "</kbd>"),
  code: writeCode,
  tt: writeCode,
  samp: writeCode,
  pre: writeCode,
  listing: writeCode,
  xmp: writeCode,
  a: writeLink,
  img: writePicture,
  image: writePicture,
  br: (_, writer) => writer.break(),
  math: writeFormula,
  script: writeFormula,
  video: writeMedia,
  audio: writeMedia,
  iframe: writeMedia,
  embed: writeMedia,
  frame: writeMedia,
} satisfies Record<string, WriteInline>);

function marked(open: string, close = open): WriteInline {
  return (element, writer, page) => writer.around(open, close, () => writeInline(element, writer, page));
}

const raised = marked("<sup>", "</sup>");

function writeRaised(element: Element, writer: InlineWriter, page: Page): void {
  const write = holdsOnlyReference(element) ? writeInline : raised;
  write(element, writer, page);
}

/** A line break around each, and a dash before items. */
function writeBlock(element: Element, writer: InlineWriter, page: Page): void {
  if (element.name === "td" || element.name === "th") writer.space();
  else if (element.holdsBlocks || element.textLength > 0) writer.break();
  if (element.name === "li" && writer.lineBreak === "<br>") writer.atom("- ");
  writeInline(element, writer, page);
  if (element.name === "td" || element.name === "th") writer.space();
  else if (element.textLength > 0) writer.break();
}

function writeCode(element: Element, writer: InlineWriter): void {
  const code = codeText(element);
  const isLines = element.name === "pre" && writer.lineBreak === "<br>";
  for (const line of isLines ? code.split("\n") : [code]) {
    const span = codeSpan(line);
    if (isLines) writer.break();
    if (span !== "") writer.atom(span);
  }
}

function writeLink(element: Element, writer: InlineWriter, page: Page): void {
  const { href } = element.attributes;
  const reference = href === undefined ? undefined : noteReference(element);
  if (reference !== undefined) writer.atom(`[^${reference}]`);
  else if (href === undefined) writeInline(element, writer, page);
  else if (!isBackLink(element) && !isAnchorOfHeading(element)) {
    const url = page.locate(href);
    // A heading often leads to itself.
    const leadsNowhere = !url || (url.startsWith("#") && writer.lineBreak === " ");
    if (leadsNowhere) writeInline(element, writer, page);
    else if (/^https?:/.test(url) && textOf(element).trim() === url) writer.atom(`<${url}>`);
    else writer.link(url, () => writeInline(element, writer, page));
  }
}

/** The sign behind a heading that leads to it. */
function isAnchorOfHeading({ attributes, children }: Element): boolean {
  const sign = children.length === 1 ? children[0] : undefined;
  return attributes.href!.startsWith("#") && typeof sign === "string" && /^\s*[¶#§🔗]\s*$/u.test(sign);
}

function holdsOnlyReference(element: Element): boolean {
  return element.children.every((child) =>
    typeof child === "string"
      ? child.trim() === ""
      : child.name === "a" && noteReference(child) !== undefined,
  );
}

function writePicture({ attributes }: Element, writer: InlineWriter, page: Page): void {
  const isPixel = [attributes.width, attributes.height].some((size) => size === "1" || size === "0");
  if (isPixel) return;
  const alt = (attributes.alt ?? attributes.title ?? "")
    .replace(/\s+/g, " ")
    .replace(/[[\]]/g, "\\$&")
    .trim();
  const source = [attributes.src, attributes["data-src"], attributes.srcset?.trim().split(/[\s,]/, 1)[0]];
  const url = source.map((source) => source && page.locate(source)).find((located) => located);
  if (url !== undefined) writer.atom(`![${alt}](${url})`);
  else if (alt !== "") writer.text(alt);
}

function writeFormula(element: Element, writer: InlineWriter): void {
  const tex = formula(element);
  if (tex !== "") writer.atom(tex);
}

/** What plays, as a link to it. */
function writeMedia(element: Element, writer: InlineWriter, page: Page): void {
  const inner = element.children.find(
    (child) => typeof child !== "string" && child.attributes.src !== undefined,
  );
  const source = element.attributes.src ?? (typeof inner === "object" ? inner.attributes.src : undefined);
  const url = source === undefined ? undefined : page.locate(source);
  if (url === undefined || url === "") return;
  const title = element.attributes.title ?? element.attributes["aria-label"];
  const name = element.name === "iframe" ? "embedded page" : element.name;
  writer.space();
  writer.atom(`[${title ? title.replace(/[[\]\s]+/g, " ").trim() : name}](${url})`);
  writer.space();
}
