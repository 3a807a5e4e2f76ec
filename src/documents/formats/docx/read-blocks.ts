import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block } from "../office/blocks.ts";
import { readAlternative, readInline } from "./read-runs.ts";
import { readTable } from "./read-table.ts";
import type { Line, Story } from "./story.ts";
import { outlineOf, readNumbered } from "./styles.ts";

/** The paragraphs and tables in the element that the reader stands at: a body, a cell, a text box, a footnote. */
export function readBlocks(reader: XmlReader, story: Story, blocks: Block[] = []): Block[] {
  const { depth } = reader;
  while (reader.child(depth)) readBlock(reader, story, blocks);
  return blocks;
}

/** One element among paragraphs; the reader stands at it. */
export function readBlock(reader: XmlReader, story: Story, blocks: Block[]): void {
  switch (reader.name) {
    case "w:p":
      readParagraph(reader, story, blocks);
      break;
    case "w:tbl":
      append(blocks, readTable(reader, story), story.cited.splice(0));
      break;
    case "w:sdt":
    case "w:sdtContent":
    case "w:customXml":
    case "w:ins":
    case "w:moveTo":
      readBlocks(reader, story, blocks);
      break;
    case "mc:AlternateContent":
      readAlternative(reader, () => readBlocks(reader, story, blocks));
      break;
    case "w:altChunk":
      story.tally.embedded += 1;
      break;
    case "w:sectPr":
      readSection(reader, story);
      break;
    case "m:oMathPara":
    case "m:oMath": {
      const line: Line = { text: "", boxes: [] };
      readInline(reader, story, line);
      blocks.push({ kind: "paragraph", text: line.text });
      break;
    }
    default:
  }
}

function readParagraph(reader: XmlReader, story: Story, blocks: Block[]): void {
  const { depth } = reader;
  const line: Line = { text: story.joined, boxes: [] };
  story.joined = "";
  let properties: Properties = {};
  while (reader.child(depth)) {
    if (reader.name === "w:pPr") properties = readProperties(reader, story);
    else readInline(reader, story, line);
  }
  // A code that goes on has nothing to show: what follows must not vanish in it.
  while (story.fields.at(-1)?.shows === false) story.fields.pop();
  if (properties.isJoined) story.joined = line.text;
  else if (line.text.trim() !== "") blocks.push(asBlock(line.text, properties, story));
  append(blocks, line.boxes, story.cited.splice(0));
}

interface Properties {
  style?: string | undefined;
  outline?: number | undefined;
  numberedBy?: string;
  level?: number;
  /** Its end was deleted. */
  isJoined?: boolean;
}

function readProperties(reader: XmlReader, story: Story): Properties {
  const properties: Properties = {};
  const { depth } = reader;
  while (reader.child(depth)) {
    switch (reader.name) {
      case "w:pStyle":
        properties.style = reader.attribute("w:val");
        break;
      case "w:numPr":
        Object.assign(properties, readNumbered(reader));
        break;
      case "w:outlineLvl":
        properties.outline = outlineOf(reader.attribute("w:val"));
        break;
      case "w:sectPr":
        readSection(reader, story);
        break;
      case "w:rPr":
        properties.isJoined = endIsDeleted(reader, story);
        break;
      default:
    }
  }
  return properties;
}

function endIsDeleted(reader: XmlReader, { tally }: Story): boolean {
  let isDeleted = false;
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name !== "w:del" && reader.name !== "w:moveFrom") continue;
    isDeleted = true;
    tally.deletions += 1;
  }
  return isDeleted;
}

function asBlock(text: string, properties: Properties, { styles, numbering }: Story): Block {
  const style = styles.get(properties.style ?? "");
  const level = properties.level ?? style?.level ?? 0;
  const marker = numbering.next(properties.numberedBy ?? style?.numberedBy ?? "", level);
  const outline = properties.outline === undefined ? style?.heading : properties.outline + 1;
  if (outline !== undefined && outline < 10)
    return {
      kind: "heading",
      level: outline,
      text: marker === undefined || marker === "-" ? text : `${marker} ${text}`,
    };
  if (marker === undefined || marker === "") return { kind: "paragraph", text };
  return { kind: "item", level, marker, text };
}

/** Which headers and footers the pages of a section show. */
function readSection(reader: XmlReader, { relations, tally }: Story): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name !== "w:headerReference" && reader.name !== "w:footerReference") continue;
    const target = relations.get(reader.attribute("r:id") ?? "")?.target;
    if (target !== undefined) tally.margins.add(target);
  }
}
