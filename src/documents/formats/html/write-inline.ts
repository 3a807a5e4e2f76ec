import { codeSpan, codeText } from "./code.ts";
import { type Element, findElement, textOf } from "./element.ts";
import type { InlineWriter } from "./markdown-writer.ts";

export interface Page {
  readonly locate: Locate;
  readonly isWhole: boolean;
  /** The heading that becomes the link around blocks. */
  readonly linked?: { readonly heading: Element; readonly url: string };
}

export function isLeftOut(element: Element, page: Page): boolean {
  return element.isAside && !page.isWhole;
}

/** Resolves a link of the page. */
type Locate = (link: string) => string | undefined;

/** Returns a function that resolves links. Links within the page stay unchanged; scripts and data give undefined. */
export function locateFrom(base: string | undefined): Locate {
  const origin = base === undefined ? undefined : URL.parse(base)?.origin;
  return (link) => {
    const trimmed = link.trim();
    // Simple links are not parsed as URLs, because that would take longer than all other work.
    if (/^https?:\/\/[a-z0-9.-]+\/[\w/.~=&?#%+:;,-]*$/.test(trimmed) && !trimmed.includes("/."))
      return destination(trimmed);
    if (origin !== undefined && /^\/\w[\w/.~=&?#%+:;,-]*$/.test(trimmed) && !trimmed.includes("/.")) {
      return destination(origin + trimmed);
    }
    if (/^(?:javascript|data|vbscript|blob|about):/i.test(trimmed)) return undefined;
    if (trimmed === "" || trimmed.startsWith("#")) return destination(trimmed);
    const url = base === undefined ? undefined : URL.parse(trimmed, base);
    return destination(url?.href ?? trimmed);
  };
}

function destination(url: string): string {
  const kept = url.length > mostLinkChars ? url.slice(0, mostLinkChars) : url;
  if (!/[\s()<>\\]/.test(kept)) return kept;
  return kept.replace(/[\s()<>\\]/g, (character) =>
    encodeURIComponent(character).replace("(", "%28").replace(")", "%29"),
  );
}

/** Longer links contain data, not an address. */
const mostLinkChars = 2000;

export function writeInline(element: Element, writer: InlineWriter, page: Page): void {
  for (const child of element.children) {
    if (typeof child === "string") writer.text(child);
    else writeInlineElement(child, writer, page);
  }
}

export function writeInlineElement(element: Element, writer: InlineWriter, page: Page): void {
  if (isLeftOut(element, page)) return;
  const write = writers[element.name];
  if (write !== undefined) write(element, writer, page);
  else if (element.isBlock) writeBlock(element, writer, page);
  else writeInline(element, writer, page);
}

type WriteInline = (element: Element, writer: InlineWriter, page: Page) => void;

/** Writers by element name. Other elements are replaced by their content. */
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
    // Headings often link to themselves.
    const leadsNowhere = !url || (url.startsWith("#") && writer.lineBreak === " ");
    if (leadsNowhere) writeInline(element, writer, page);
    else if (/^https?:/.test(url) && textOf(element).trim() === url) writer.atom(`<${url}>`);
    else writer.link(url, () => writeInline(element, writer, page));
  }
}

/** Whether a link is the sign after a heading that links to the heading. */
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

/** Returns the label of a footnote reference; undefined for other links. */
function noteReference(link: Element): string | undefined {
  const { class: classes = "", href = "", role } = link.attributes;
  const isOne =
    role === "doc-noteref" ||
    link.attributes["data-footnote-ref"] !== undefined ||
    /(?:^|\s)(?:footnote-ref|footnote-reference|fnref)(?:\s|$)/.test(classes) ||
    (link.parent?.name === "sup" && noteTarget.test(href));
  if (!isOne || link.textLength > mostChars) return undefined;
  const label = textOf(link).replace(/[[\]()\s]/g, "");
  return label === "" || label.length > 20 ? undefined : label;
}

export function isNoteList({ attributes: { class: classes = "", role = "" } }: Element): boolean {
  return role === "doc-endnotes" || /(?:^|\s)(?:footnotes|references|endnotes)(?:\s|$)/.test(classes);
}

/** Whether a link leads from a note back to its reference. */
function isBackLink(link: Element): boolean {
  const { class: classes = "", href = "", role } = link.attributes;
  if (role === "doc-backlink" || /footnote-back|(?:^|\s)(?:fn-backref|mw-cite-backlink)/.test(classes))
    return true;
  return (
    href.startsWith("#") &&
    link.textLength <= mostChars &&
    /^(?:[\s\u21a9\u2191\u21b5^]|\ufe0e|\ufe0f)+$/.test(textOf(link))
  );
}

/** A longer link is not a reference. */
const mostChars = 60;

const noteTarget = /^#(?:user-content-)?(?:fn|footnote|endnote|cite_note|note)[-_:.]?\w/i;

/** Writes a formula, in TeX if the page provides it. */
function formula(element: Element): string {
  const tex = (texOf(element) ?? textOf(element)).replace(/\s+/g, " ").trim();
  if (tex === "") return "";
  return isDisplayed(element) ? `$$${tex}$$` : `$${tex}$`;
}

function texOf(element: Element): string | undefined {
  if (element.attributes.alttext !== undefined) return element.attributes.alttext;
  const annotation = findElement(
    element,
    ({ name, attributes }) => name === "annotation" && (attributes.encoding ?? "").includes("tex"),
  );
  return annotation && textOf(annotation);
}

function isDisplayed({ attributes }: Element): boolean {
  return attributes.display === "block" || (attributes.type ?? "").includes("mode=display");
}
