import { type Element, findElement } from "./element.ts";
import { findMain } from "./main-content.ts";
import { type BlockStart, MarkdownWriter } from "./markdown-writer.ts";
import { type ParsedHtml, parseHtml } from "./parse-html.ts";
import { writeFlow } from "./write-blocks.ts";
import { locateFrom, type Page } from "./write-inline.ts";

interface HtmlOptions {
  /** The address of the page, for relative links. */
  readonly base?: string | undefined;
  /** Whether to show navigation, footers and similar parts too. */
  readonly whole?: boolean | undefined;
}

export interface MarkdownPage {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  readonly starts: readonly BlockStart[];
  /** The approximate number of omitted characters outside of the content. */
  readonly leftOut: number;
}

/** Converts the content of a page, or the whole page, to Markdown, in linear time even for hostile pages. */
export function htmlToMarkdown(html: string, { base, whole = false }: HtmlOptions = {}): MarkdownPage {
  const parsed = parseHtml(html, { showHidden: false });
  const properties = propertiesOf(parsed);
  const page = { locate: locateFrom(baseOf(parsed, base)), isWhole: whole };
  const written = write(parsed, page) ?? write(parseHtml(html, { showHidden: true }), page) ?? nothing;
  return { ...written, title: properties.title, properties };
}

type Written = Pick<MarkdownPage, "markdown" | "starts" | "leftOut">;

const nothing: Written = { markdown: "", starts: [], leftOut: 0 };

/** Writes the content, or the whole page if the content would be empty; undefined for an empty page. */
function write({ root, textLength }: ParsedHtml, page: Page): Written | undefined {
  const isLittle = root.textLength < 200 && root.textLength < textLength / 10;
  if (!page.isWhole && !isLittle) {
    const elements = withHeading(findMain(root), root);
    const shown = elements.reduce((sum, element) => sum + element.textLength, 0);
    const { markdown, starts } = writeElements(elements, page);
    if (markdown !== "") return { markdown, starts, leftOut: textLength - shown };
  }
  const { markdown, starts } = writeElements([root], { ...page, isWhole: true });
  return markdown === "" ? undefined : { markdown, starts, leftOut: 0 };
}

function writeElements(elements: readonly Element[], page: Page): MarkdownWriter {
  const writer = new MarkdownWriter();
  writeFlow(elements, writer, page);
  return writer;
}

/** Adds the heading of the page, if it is before the content. */
function withHeading(main: Element, root: Element): readonly Element[] {
  if (main.holdsTopHeading || !root.holdsTopHeading) return [main];
  const heading = findElement(root, ({ name, textLength }) => name === "h1" && textLength > 0);
  return heading === undefined ? [main] : [heading, main];
}

function baseOf({ head }: ParsedHtml, base: string | undefined): string | undefined {
  const stated = head.find(({ name, attributes }) => name === "base" && attributes.href !== undefined);
  const href = stated?.attributes.href;
  return (href === undefined ? undefined : URL.parse(href, base)?.href) ?? base;
}

function propertiesOf({ head, title }: ParsedHtml): Readonly<Record<string, string>> {
  const metadata = new Map<string, string>();
  for (const { name, attributes } of head) {
    const key = attributes.property ?? attributes.name ?? attributes.itemprop;
    if (name === "meta" && key !== undefined) note(metadata, key.toLowerCase(), attributes.content);
    if (name === "html") note(metadata, "lang", attributes.lang ?? attributes["xml:lang"]);
    if (name === "link" && attributes.rel === "canonical") note(metadata, "canonical", attributes.href);
  }
  note(metadata, "title", title);
  const properties: Record<string, string> = {};
  for (const [property, keys] of Object.entries(sources)) {
    const found = keys.map((key) => metadata.get(key)).find((value) => value !== undefined);
    if (found !== undefined) properties[property] = found;
  }
  return properties;
}

const sources = {
  title: ["title", "og:title", "twitter:title", "dc.title"],
  description: ["description", "og:description", "twitter:description", "dc.description"],
  author: ["author", "article:author", "dc.creator", "twitter:creator"],
  site: ["og:site_name", "application-name"],
  published: ["article:published_time", "datepublished", "date", "dc.date", "pubdate", "publish_date"],
  modified: ["article:modified_time", "datemodified", "last-modified", "og:updated_time"],
  language: ["lang", "og:locale", "language"],
  address: ["canonical", "og:url"],
  software: ["generator"],
} as const;

const mostPropertyChars = 500;

function note(metadata: Map<string, string>, key: string, value: string | undefined): void {
  const text = value
    ?.slice(0, mostPropertyChars * 4)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, mostPropertyChars);
  if (text !== undefined && text !== "" && !metadata.has(key)) metadata.set(key, text);
}
