import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block } from "../office/blocks.ts";
import { ListCounter } from "./lists.ts";
import { readInline } from "./read-inline.ts";
import { isShape, readShape } from "./read-shape.ts";
import { readTable } from "./read-table.ts";
import type { Line, Story } from "./story.ts";

/** The paragraphs, lists and tables in the element that the reader stands at. */
export function readBlocks(reader: XmlReader, story: Story, blocks: Block[] = []): Block[] {
  const { depth } = reader;
  while (reader.child(depth)) readBlock(reader, story, blocks);
  return blocks;
}

/** One element among paragraphs; the reader stands at it. */
export function readBlock(reader: XmlReader, story: Story, blocks: Block[]): void {
  switch (reader.name) {
    case "text:p":
    case "text:h":
      readParagraph(reader, story, blocks);
      break;
    case "text:list":
      readList(reader, story, blocks);
      break;
    case "table:table":
      append(blocks, readTable(reader, story), story.cited.splice(0));
      break;
    case "text:section":
      if (reader.attribute("text:display") === "none") story.tally.hidden += 1;
      readBlocks(reader, story, blocks);
      break;
    case "text:tracked-changes": {
      const { depth } = reader;
      while (reader.child(depth)) story.tally.changes += 1;
      break;
    }
    case "text:numbered-paragraph":
    case "text:index-body":
    case "text:index-title":
    case "text:table-of-content":
    case "text:alphabetical-index":
    case "text:bibliography":
    case "text:illustration-index":
    case "text:object-index":
    case "text:table-index":
    case "text:user-index":
    case "draw:text-box":
      readBlocks(reader, story, blocks);
      break;
    default:
      if (isShape(reader.name)) {
        const line: Line = { text: "", boxes: [] };
        readShape(reader, story, line);
        if (line.text !== "") blocks.push({ kind: "paragraph", text: line.text });
        append(blocks, line.boxes);
      }
  }
}

/** Where a paragraph stands in a list: it is marked if it is the first one of its item. */
interface Place {
  readonly level: number;
  marker(): string;
}

function readParagraph(reader: XmlReader, story: Story, blocks: Block[], place?: Place): void {
  const style = reader.attribute("text:style-name") ?? "";
  const isTitle = story.titles.has(style);
  const isHeading = reader.name === "text:h" || isTitle;
  const level = Number(reader.attribute("text:outline-level") ?? 1) || 1;
  const isLine = story.preformatted.has(style);
  const isUncounted = isTitle || reader.attribute("text:is-list-header") === "true";
  const line: Line = { text: "", boxes: [] };
  readInline(reader, story, line);
  if (line.text.trim() !== "") {
    const marker = place?.marker() ?? (isHeading && !isUncounted ? outlineMarker(story, level) : "");
    if (isHeading)
      blocks.push({
        kind: "heading",
        level,
        text: /^-?$/.test(marker) ? line.text : `${marker} ${line.text}`,
      });
    else if (place && marker !== "")
      blocks.push({ kind: "item", level: place.level, marker, text: line.text });
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
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name !== "text:list-item" && reader.name !== "text:list-header") continue;
    const start = reader.attribute("text:start-value");
    readItem(reader, story, blocks, list, start === undefined ? undefined : Number(start) || 1);
  }
}

function readItem(reader: XmlReader, story: Story, blocks: Block[], list: List, start?: number): void {
  let isMarked = reader.name === "text:list-header";
  const { level, counter } = list;
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "text:list") {
      const style = reader.attribute("text:style-name") ?? list.style;
      readItems(reader, story, blocks, { ...list, style, level: Math.min(level + 1, 9) });
    } else if (reader.name === "text:p" || reader.name === "text:h") {
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
