import { codeBlock, isLineNumber } from "./code.ts";
import { type Element, findElement, type Node, textOf } from "./element.ts";
import { InlineWriter } from "./inline-writer.ts";
import { writeDefinitions, writeList } from "./lists.ts";
import { isLeftOut, type Page } from "./page.ts";
import { writeTable } from "./table.ts";
import { writeInline, writeInlineElement } from "./write-inline.ts";
import type { MarkdownWriter } from "./writer.ts";

/** Writes what stands below each other: text between blocks is a paragraph. */
export function writeFlow(nodes: readonly Node[], writer: MarkdownWriter, page: Page): void {
  let inline: InlineWriter | undefined;
  for (const node of nodes) {
    if (typeof node === "string") {
      if (inline === undefined && node.trim() === "") continue;
      inline ??= new InlineWriter("  \n");
      inline.text(node);
    } else if (isLeftOut(node, page) || isLineNumber(node)) continue;
    else if (!node.isBlock) {
      inline ??= new InlineWriter("  \n");
      writeInlineElement(node, inline, page);
    } else {
      if (inline !== undefined) writeParagraph(inline, writer);
      writeBlock(node, writer, page);
    }
  }
  if (inline !== undefined) writeParagraph(inline, writer);
}

/** Writes a paragraph with what `write` writes into it, if that is anything. */
export function writeLine(writer: MarkdownWriter, write: (inline: InlineWriter) => void): void {
  const inline = new InlineWriter(" ");
  write(inline);
  writeParagraph(inline, writer);
}

function writeParagraph(inline: InlineWriter, writer: MarkdownWriter): void {
  const text = inline.finish();
  if (text !== "") writer.block(text);
}

function writeBlock(element: Element, writer: MarkdownWriter, page: Page): void {
  const write = writers[element.name] ?? (element.attributes.role === "heading" ? writeHeading : undefined);
  if (write !== undefined) write(element, writer, page);
  else writeFlow(element.children, writer, page);
}

type WriteBlock = (element: Element, writer: MarkdownWriter, page: Page) => void;

/** All other blocks are what they hold. */
const writers: Readonly<Partial<Record<string, WriteBlock>>> = Object.assign(Object.create(null), {
  h1: writeHeading,
  h2: writeHeading,
  h3: writeHeading,
  h4: writeHeading,
  h5: writeHeading,
  h6: writeHeading,
  ul: writeList,
  ol: writeList,
  menu: writeList,
  dir: writeList,
  dl: writeDefinitions,
  blockquote: writeQuotation,
  pre: writeCode,
  listing: writeCode,
  xmp: writeCode,
  table: writeTable,
  hr: writeRule,
  dt: writeTitle,
  summary: writeTitle,
  caption: writeTitle,
  legend: writeTitle,
  a: writeLinkedBlocks,
} satisfies Record<string, WriteBlock>);

function writeHeading(element: Element, writer: MarkdownWriter, page: Page): void {
  const inline = new InlineWriter(" ");
  const write = () => writeInline(element, inline, page);
  if (page.linked?.heading === element) inline.link(page.linked.url, write);
  else write();
  const text = inline.finish();
  if (text === "") return;
  writer.block(`${"#".repeat(levelOf(element))} ${text}`, textOf(element).replace(/\s+/g, " ").trim());
}

function levelOf({ name, kind, attributes }: Element): number {
  if (kind.isHeading) return Number(name[1]);
  return Math.min(6, Math.max(1, Number.parseInt(attributes["aria-level"] ?? "2", 10) || 2));
}

function writeQuotation({ children }: Element, writer: MarkdownWriter, page: Page): void {
  writer.within("> ", "> ", () => writeFlow(children, writer, page));
}

function writeCode(element: Element, writer: MarkdownWriter): void {
  const block = codeBlock(element);
  if (block !== "") writer.block(block);
}

function writeRule(_: Element, writer: MarkdownWriter): void {
  writer.block("---");
}

function writeTitle(element: Element, writer: MarkdownWriter, page: Page): void {
  writeLine(writer, (inline) => inline.around("**", "**", () => writeInline(element, inline, page)));
}

/** Cards: the heading becomes the link; without one the whole is one line. */
function writeLinkedBlocks(element: Element, writer: MarkdownWriter, page: Page): void {
  const url = page.locate(element.attributes.href ?? "");
  const heading = findElement(element, ({ kind }) => kind.isHeading);
  if (!url) writeFlow(element.children, writer, page);
  else if (heading === undefined) writeLine(writer, (inline) => writeInlineElement(element, inline, page));
  else writeFlow(element.children, writer, { ...page, linked: { heading, url } });
}
