import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block, cellText, commentBy, link, nextLabel, picture } from "../blocks.ts";
import { readMath } from "../equations.ts";
import { resolvePart } from "../office-package.ts";
import type { Line, Story } from "./open.ts";
import { readTable } from "./read-table.ts";
import { ListCounter } from "./styles.ts";

/** Reads the paragraphs, lists and tables in the current element. */
export function readBlocks(reader: XmlReader, story: Story, blocks: Block[] = []): Block[] {
  for (const _ of reader.children()) readBlock(reader, story, blocks);
  return blocks;
}

function readBlock(reader: XmlReader, story: Story, blocks: Block[]): void {
  switch (reader.name) {
    case "text:p":
    case "text:h":
      readParagraph(reader, story, blocks);
      break;
    case "text:list":
      readList(reader, story, blocks);
      break;
    case "table:table":
      append(blocks, readTable(reader, story, readBlocks), story.cited.splice(0));
      break;
    case "text:section":
      if (reader.attribute("text:display") === "none") story.tally.hidden += 1;
      readBlocks(reader, story, blocks);
      break;
    case "text:tracked-changes":
      for (const _ of reader.children()) story.tally.changes += 1;
      break;
    default:
      if (
        /^text:(?:[a-z]+-)?index(?:-body|-title)?$|^text:bibliography$/.test(reader.name) ||
        holders.has(reader.name)
      )
        readBlocks(reader, story, blocks);
      else if (isShape(reader.name)) {
        const line: Line = { text: "", boxes: [] };
        readShape(reader, story, line);
        if (line.text !== "") blocks.push({ kind: "paragraph", text: line.text });
        append(blocks, line.boxes);
      }
  }
}

const holders: ReadonlySet<string> = new Set([
  "text:numbered-paragraph",
  "text:table-of-content",
  "draw:text-box",
]);

/** A list item around a paragraph. Only the first paragraph of an item has a marker. */
interface ListPosition {
  readonly level: number;
  marker(): string;
}

function readParagraph(reader: XmlReader, story: Story, blocks: Block[], item?: ListPosition): void {
  const style = reader.attribute("text:style-name") ?? "";
  const isTitle = story.titles.has(style);
  const isHeading = reader.name === "text:h" || isTitle;
  const level = Number(reader.attribute("text:outline-level") ?? 1) || 1;
  const isLine = story.preformatted.has(style);
  const isUncounted = isTitle || reader.attribute("text:is-list-header") === "true";
  const line: Line = { text: "", boxes: [] };
  readInline(reader, story, line);
  if (line.text.trim() !== "") {
    const marker = item?.marker() ?? (isHeading && !isUncounted ? outlineMarker(story, level) : "");
    if (isHeading)
      blocks.push({
        kind: "heading",
        level,
        text: /^-?$/.test(marker) ? line.text : `${marker} ${line.text}`,
      });
    else if (item && marker !== "") blocks.push({ kind: "item", level: item.level, marker, text: line.text });
    else blocks.push({ kind: isLine ? "line" : "paragraph", text: line.text });
  } else if (isLine && blocks.at(-1)?.kind === "line") blocks.push({ kind: "line", text: "" });
  append(blocks, line.boxes, story.cited.splice(0));
}

function outlineMarker({ outline, headings }: Story, level: number): string {
  return outline === undefined ? "" : headings.next(outline, Math.min(level, 10) - 1);
}

function readList(reader: XmlReader, story: Story, blocks: Block[]): void {
  const style = reader.attribute("text:style-name") ?? "";
  const continued = reader.attribute("text:continue-list");
  const goesOn = reader.attribute("text:continue-numbering") === "true";
  const known = continued === undefined ? undefined : story.lists.get(`name ${continued}`);
  const counter = known ?? (goesOn ? story.lists.get(`style ${style}`) : undefined) ?? new ListCounter();
  const name = reader.attribute("xml:id");
  if (name !== undefined) story.lists.set(`name ${name}`, counter);
  story.lists.set(`style ${style}`, counter);
  readItems(reader, story, blocks, { counter, style, level: 0 });
}

interface List {
  readonly counter: ListCounter;
  readonly style: string;
  readonly level: number;
}

function readItems(reader: XmlReader, story: Story, blocks: Block[], list: List): void {
  for (const name of reader.children()) {
    if (name !== "text:list-item" && name !== "text:list-header") continue;
    const start = reader.attribute("text:start-value");
    readItem(reader, story, blocks, list, start === undefined ? undefined : Number(start) || 1);
  }
}

function readItem(reader: XmlReader, story: Story, blocks: Block[], list: List, start?: number): void {
  let isMarked = reader.name === "text:list-header";
  const { level, counter } = list;
  for (const name of reader.children()) {
    if (name === "text:list") {
      const style = reader.attribute("text:style-name") ?? list.style;
      readItems(reader, story, blocks, { ...list, style, level: Math.min(level + 1, 9) });
    } else if (name === "text:p" || name === "text:h") {
      const of = list.style || story.listOfStyle.get(reader.attribute("text:style-name") ?? "") || "";
      const marker = () => {
        if (isMarked) return "";
        isMarked = true;
        return counter.next(story.listStyles.get(of), level, start);
      };
      readParagraph(reader, story, blocks, { level, marker });
    } else readBlock(reader, story, blocks);
  }
}

/** Adds the text of the current paragraph, span or field to a line. */
function readInline(reader: XmlReader, story: Story, line: Line): void {
  const { depth } = reader;
  for (let node = reader.node(depth); node; node = reader.node(depth)) {
    if (node === "element") readElement(reader, story, line);
    // Line breaks and runs of spaces are elements. In the text they are only XML formatting.
    else line.text += withoutLayout(reader.text, line.text === "");
  }
}

function withoutLayout(text: string, isFirst: boolean): string {
  const plain = crowded.test(text) ? text.replaceAll(/[ \t\r\n]+/g, " ") : text;
  return isFirst && plain.startsWith(" ") ? plain.slice(1) : plain;
}

const crowded = /[\t\r\n]| {2}/;

function readElement(reader: XmlReader, story: Story, line: Line): void {
  switch (reader.name) {
    case "text:s":
      line.text += readSpaces(reader);
      break;
    case "text:tab":
      line.text += "\t";
      break;
    case "text:line-break":
      line.text += "\n";
      break;
    case "text:a": {
      const target = reader.attribute("xlink:href");
      const inside: Line = { text: "", boxes: line.boxes };
      readInline(reader, story, inside);
      line.text += link(inside.text, target);
      break;
    }
    case "text:note":
      readNote(reader, story, line);
      break;
    case "office:annotation": {
      const label = cite("comment", story, line);
      story.cited.push({ kind: "note", label, text: readComment(reader, story) });
      break;
    }
    case "text:ruby-text": {
      const above: Line = { text: "", boxes: line.boxes };
      readInline(reader, story, above);
      if (above.text !== "") line.text += `(${above.text})`;
      break;
    }
    case "text:hidden-text":
    case "text:hidden-paragraph":
      story.tally.hidden += 1;
      readInline(reader, story, line);
      break;
    case "text:script":
      break;
    case "text:list":
    case "text:p":
      append(line.boxes, readBlocks(reader, story));
      break;
    default:
      if (isShape(reader.name)) readShape(reader, story, line);
      else readInline(reader, story, line);
  }
}

function readNote(reader: XmlReader, story: Story, line: Line): void {
  const kind = reader.attribute("text:note-class") === "endnote" ? "endnote" : "footnote";
  const label = cite(kind, story, line);
  let text = "";
  for (const name of reader.children())
    if (name === "text:note-body") text = cellText(readBlocks(reader, story)).trim();
  story.cited.push({ kind: "note", label, text });
}

export function readComment(reader: XmlReader, story: Story): string {
  let author = "";
  let day = "";
  const comment: Line = { text: "", boxes: [] };
  for (const name of reader.children()) {
    if (name === "dc:creator") author = reader.content();
    else if (name === "dc:date") day = reader.content().slice(0, 10);
    else if (name === "text:p" || name === "text:list") {
      if (comment.text !== "") comment.text += "\n";
      readInline(reader, story, comment);
    }
  }
  return commentBy(author, day) + comment.text.trim() + cellText(comment.boxes);
}

function cite(kind: string, { tally }: Story, line: Line): string {
  const label = nextLabel(tally.cited, kind);
  line.text += `[^${label}]`;
  return label;
}

export function isShape(name: string): boolean {
  return name.startsWith("draw:");
}

/** Reads a frame, a picture or a drawn shape. Its text follows the paragraph; a picture stays in the line. */
export function readShape(reader: XmlReader, story: Story, line: Line): void {
  let description: string | undefined;
  let hasPicture = reader.name === "draw:image";
  let hasObject = false;
  for (const name of reader.children()) {
    switch (name) {
      case "draw:image":
        hasPicture = true;
        break;
      case "table:table":
        hasObject = true;
        readBlock(reader, story, line.boxes);
        break;
      case "draw:object":
      case "draw:object-ole":
        hasObject = true;
        readObject(reader, story, line);
        break;
      case "svg:title":
        description ??= reader.content();
        break;
      case "svg:desc":
        description = reader.content();
        break;
      default:
        if (isShape(name)) readShape(reader, story, line);
        else {
          readBlock(reader, story, line.boxes);
          append(line.boxes, story.cited.splice(0));
        }
    }
  }
  // An object contains a picture of itself.
  if (!hasPicture || hasObject) return;
  story.tally.pictures += 1;
  line.text += picture(description);
}

/** Shows an equation and counts other objects. */
function readObject(reader: XmlReader, { opened, tally }: Story, line: Line): void {
  const folder = reader.attribute("xlink:href");
  const content = folder === undefined ? undefined : opened.open(resolvePart("", `${folder}/content.xml`));
  if (content?.name === "math:math") line.text += readMath(content);
  else tally.embedded += 1;
}

/** Reads `text:s`, which represents a number of spaces. */
export function readSpaces(reader: XmlReader): string {
  const count = Number(reader.attribute("text:c") ?? "1");
  return " ".repeat(count >= 1 ? Math.min(count, mostSpaces) : 1);
}

/** The most spaces to show, because more are only layout. */
const mostSpaces = 40;
