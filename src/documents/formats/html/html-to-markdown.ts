import { type Element, findElement } from "./element.ts";
import { locateFrom } from "./links.ts";
import { findMain } from "./main-content.ts";
import { propertiesOf } from "./metadata.ts";
import type { Page } from "./page.ts";
import { parseHtml } from "./parse-html.ts";
import type { ParsedHtml } from "./tree.ts";
import { writeFlow } from "./write-blocks.ts";
import { type BlockStart, MarkdownWriter } from "./writer.ts";

export interface HtmlOptions {
  /** Where the page is from, so that its links lead somewhere. */
  readonly base?: string | undefined;
  /** Also navigation, footers and what else is around the matter. */
  readonly whole?: boolean | undefined;
}

export interface MarkdownPage {
  readonly markdown: string;
  readonly title: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Where its blocks begin, in order. */
  readonly starts: readonly BlockStart[];
  /** About how many characters of text are beside its matter, and are not in it. */
  readonly leftOut: number;
}

/** A page as Markdown: its matter, or all of it. Takes time in proportion to its length, whatever it holds. */
export function htmlToMarkdown(html: string, { base, whole = false }: HtmlOptions = {}): MarkdownPage {
  const parsed = parseHtml(html, { showHidden: false });
  const properties = propertiesOf(parsed);
  const page = { locate: locateFrom(baseOf(parsed, base)), isWhole: whole };
  const written = write(parsed, page) ?? write(parseHtml(html, { showHidden: true }), page) ?? nothing;
  return { ...written, title: properties.title, properties };
}

type Written = Pick<MarkdownPage, "markdown" | "starts" | "leftOut">;

const nothing: Written = { markdown: "", starts: [], leftOut: 0 };

/** As much as is asked for; all of it where that would be nothing; undefined where there is nothing. */
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

/** A heading of the page that stands before its matter belongs to it. */
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
