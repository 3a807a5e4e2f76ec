import { codeBlock, isLineNumber } from "./code.ts";
import { type Element, findElement, type Node, textOf } from "./element.ts";
import { InlineWriter, type MarkdownWriter } from "./markdown-writer.ts";
import { isLeftOut, isNoteList, type Page, writeInline, writeInlineElement } from "./write-inline.ts";

/** Writes blocks. Text between blocks becomes a paragraph. */
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

function writeLine(writer: MarkdownWriter, write: (inline: InlineWriter) => void): void {
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

/** Writers by element name. Other blocks are replaced by their content. */
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
  blockquote: ({ children }, writer, page) =>
    writer.within("> ", "> ", () => writeFlow(children, writer, page)),
  pre: writeCode,
  listing: writeCode,
  xmp: writeCode,
  table: writeTable,
  hr: (_, writer) => writer.block("---"),
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

function writeCode(element: Element, writer: MarkdownWriter): void {
  const block = codeBlock(element);
  if (block !== "") writer.block(block);
}

function writeTitle(element: Element, writer: MarkdownWriter, page: Page): void {
  writeLine(writer, (inline) => inline.around("**", "**", () => writeInline(element, inline, page)));
}

/** Writes a link around blocks. Their heading becomes the link; without a heading they become one line. */
function writeLinkedBlocks(element: Element, writer: MarkdownWriter, page: Page): void {
  const url = page.locate(element.attributes.href ?? "");
  const heading = findElement(element, ({ kind }) => kind.isHeading);
  if (!url) writeFlow(element.children, writer, page);
  else if (heading === undefined) writeLine(writer, (inline) => writeInlineElement(element, inline, page));
  else writeFlow(element.children, writer, { ...page, linked: { heading, url } });
}

function writeList(list: Element, writer: MarkdownWriter, page: Page): void {
  const items = list.children.filter((child) => typeof child !== "string" || child.trim() !== "");
  const isTight = items.every(isOneParagraph);
  const markerOf = markersOf(list);
  let isFirst = true;
  for (const item of items) {
    if (typeof item !== "string" && isLeftOut(item, page)) continue;
    if (isTight && (!isFirst || list.parent?.name === "li")) writer.joinNext();
    isFirst = false;
    if (typeof item === "string" || item.name !== "li") {
      writeFlow([item], writer, page);
      continue;
    }
    const marker = markerOf(item);
    const indent = marker.startsWith("[^") ? 4 : marker.length;
    writer.within(marker, " ".repeat(indent), () => writeFlow(item.children, writer, page));
  }
}

/** Writes terms on separate lines with their definitions below, as many Markdown dialects do. */
function writeDefinitions(list: Element, writer: MarkdownWriter, page: Page): void {
  for (const child of list.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") writeFlow([child], writer, page);
    } else if (isLeftOut(child, page)) continue;
    else if (child.name === "dt") writeLine(writer, (inline) => writeInline(child, inline, page));
    else if (child.name === "dd") {
      writer.joinNext();
      writer.within(": ", "  ", () => writeFlow(child.children, writer, page));
    } else if (child.name === "div") writeDefinitions(child, writer, page);
    else writeFlow([child], writer, page);
  }
}

function markersOf(list: Element): (item: Element) => string {
  const isNotes = isNoteList(list) || (list.parent !== undefined && isNoteList(list.parent));
  let number = (Number.parseInt(list.attributes.start ?? "", 10) || 1) - 1;
  return ({ attributes }) => {
    const value = Number.parseInt(attributes.value ?? "", 10);
    number = Number.isNaN(value) ? number + 1 : value;
    if (isNotes) return `[^${number}]: `;
    return list.name === "ol" ? `${number}. ` : "- ";
  };
}

/** Whether an item has at most one paragraph besides its lists, so that no empty line is needed. */
function isOneParagraph(item: Node): boolean {
  if (typeof item === "string") return true;
  let paragraphs = 0;
  let isInText = false;
  for (const child of item.children) {
    if (typeof child === "string" && child.trim() === "") continue;
    const isBlock = typeof child !== "string" && child.isBlock;
    if (isBlock ? child.name !== "ul" && child.name !== "ol" : !isInText) paragraphs += 1;
    isInText = !isBlock;
  }
  return paragraphs <= 1;
}

/** Writes a table. A layout table is replaced by its content. */
function writeTable(table: Element, writer: MarkdownWriter, page: Page): void {
  const { rows, outside } = partsOf(table, page);
  writeFlow(outside, writer, page);
  if (isLayout(table, rows)) {
    for (const row of rows) for (const cell of row.cells) writeFlow(cell.children, writer, page);
    return;
  }
  const lines = layOut(rows, page);
  const width = lines.reduce((most, { length }) => Math.max(most, length), 1);
  const hasHeader = rows[0]!.isHeader;
  const header = hasHeader ? lines.shift()! : [];
  while (header.length < width) header.push("");
  writer.block(
    [showRow(header), `|${" --- |".repeat(header.length)}`, ...lines.map((cells) => showRow(cells))].join(
      "\n",
    ),
  );
}

interface Row {
  readonly cells: readonly Element[];
  readonly isHeader: boolean;
}

/** Separates the rows from `outside`: captions and content between cells, which browsers show before the table. */
function partsOf(table: Element, page: Page): { readonly rows: Row[]; readonly outside: Node[] } {
  const rows: Row[] = [];
  const outside: Node[] = [];
  const collect = (holder: Element, cells: Element[] | undefined, isHead: boolean) => {
    for (const child of holder.children) {
      if (typeof child === "string") outside.push(child);
      else if (isLeftOut(child, page) || isLineNumber(child)) continue;
      else if (child.name === "tr") {
        const row: Element[] = [];
        collect(child, row, isHead);
        if (row.length > 0)
          rows.push({ cells: row, isHeader: isHead || row.every(({ name }) => name === "th") });
      } else if (child.name === "thead" || child.name === "tbody" || child.name === "tfoot") {
        collect(child, undefined, child.name === "thead");
      } else if (cells !== undefined && (child.name === "td" || child.name === "th")) cells.push(child);
      else outside.push(child);
    }
  };
  collect(table, undefined, false);
  return { rows, outside };
}

/** Returns rows of cells. Cells that a span covers are empty. */
function layOut(rows: readonly Row[], page: Page): string[][] {
  /** For each column, how many of the next rows are covered. */
  const covered: number[] = [];
  return rows.map(({ cells }) => {
    const line: string[] = [];
    for (const cell of cells) {
      for (; (covered[line.length] ?? 0) > 0; line.push("")) covered[line.length]! -= 1;
      const rowspan = spanOf(cell.attributes.rowspan, rows.length);
      const colspan = spanOf(cell.attributes.colspan, Math.max(1, maxColumns - line.length));
      const first = line.length;
      for (; line.length < first + colspan; line.push("")) {
        if (line.length < maxColumns) covered[line.length] = rowspan - 1;
      }
      line[first] = showCell(cell, page);
    }
    for (let column = line.length; column < covered.length; column += 1) {
      if (covered[column]! > 0) covered[column]! -= 1;
    }
    return line;
  });
}

/** Cells beyond this column cover no others. */
const maxColumns = 100;

function spanOf(attribute: string | undefined, most: number): number {
  return Math.min(most, Math.max(1, Number.parseInt(attribute ?? "1", 10) || 1));
}

function showCell(cell: Element, page: Page): string {
  const inline = new InlineWriter("<br>");
  writeInline(cell, inline, page);
  return inline.finish().replaceAll("|", "\\|");
}

function showRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Whether the table is only layout: it has one column, or its cells contain whole pages. */
function isLayout(table: Element, rows: readonly Row[]): boolean {
  const { role } = table.attributes;
  if (rows.length === 0 || role === "presentation" || role === "none") return true;
  const cells = rows.flatMap((row) => row.cells);
  if (rows.every((row) => row.cells.length <= 1)) return true;
  if (cells.some(({ name }) => name === "th")) return false;
  if (rows.length === 1 && cells.some(({ holdsBlocks }) => holdsBlocks)) return true;
  return cells.some(
    (cell) => cell.holdsBlocks && findElement(cell, ({ name }) => pageLike.has(name)) !== undefined,
  );
}

const pageLike: ReadonlySet<string> = new Set("table h1 h2 h3 pre article section form hr".split(" "));
