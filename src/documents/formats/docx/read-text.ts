import { append, type Block, link, nextLabel, picture } from "../../shared/blocks.ts";
import { readGraphic } from "../../shared/drawings.ts";
import { readEquation } from "../../shared/equations.ts";
import { symbol } from "../../shared/symbols.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import { readTable } from "./read-table.ts";
import type { Field, Line, Story } from "./story.ts";
import { outlineOf, readNumbered } from "./styles.ts";

/** Reads the paragraphs and tables in the current element: a body, a cell, a text box, a footnote. */
export function readBlocks(reader: XmlReader, story: Story, blocks: Block[] = []): Block[] {
  for (const _ of reader.children()) readBlock(reader, story, blocks);
  return blocks;
}

function readBlock(reader: XmlReader, story: Story, blocks: Block[]): void {
  switch (reader.name) {
    case "w:p":
      readParagraph(reader, story, blocks);
      break;
    case "w:tbl":
      append(blocks, readTable(reader, story, readBlock), story.cited.splice(0));
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
  const line: Line = { text: story.joined, boxes: [] };
  story.joined = "";
  let properties: Properties = {};
  for (const name of reader.children()) {
    if (name === "w:pPr") properties = readProperties(reader, story);
    else readInline(reader, story, line);
  }
  // A field code that is not closed must not hide the following paragraphs.
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
  /** The end of the paragraph was deleted, so the next paragraph continues it. */
  isJoined?: boolean;
}

function readProperties(reader: XmlReader, story: Story): Properties {
  const properties: Properties = {};
  for (const name of reader.children()) {
    if (name === "w:pStyle") properties.style = reader.attribute("w:val");
    else if (name === "w:numPr") Object.assign(properties, readNumbered(reader));
    else if (name === "w:outlineLvl") properties.outline = outlineOf(reader.attribute("w:val"));
    else if (name === "w:sectPr") readSection(reader, story);
    else if (name === "w:rPr")
      for (const mark of reader.children())
        if (mark === "w:del" || mark === "w:moveFrom") {
          properties.isJoined = true;
          story.tally.deletions += 1;
        }
  }
  return properties;
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

function readSection(reader: XmlReader, { relations, tally }: Story): void {
  for (const name of reader.children()) {
    if (name !== "w:headerReference" && name !== "w:footerReference") continue;
    const target = relations.get(reader.attribute("r:id") ?? "")?.target;
    if (target !== undefined) tally.margins.add(target);
  }
}

function readRuns(reader: XmlReader, story: Story, line: Line): void {
  for (const _ of reader.children()) readInline(reader, story, line);
}

function readInline(reader: XmlReader, story: Story, line: Line): void {
  const { name } = reader;
  if (name === "w:t") write(reader.content(), story, line);
  else if (runContainers.has(name)) readRuns(reader, story, line);
  else if (characters.has(name)) write(characters.get(name)!, story, line);
  else readSpecial(reader, story, line);
}

const runContainers: ReadonlySet<string> = new Set(
  "w:r w:smartTag w:customXml w:sdt w:sdtContent w:dir w:bdo w:fldSimple w:rubyBase".split(" "),
);

const characters: ReadonlyMap<string, string> = new Map([
  ["w:tab", "\t"],
  ["w:ptab", "\t"],
  ["w:br", "\n"],
  ["w:cr", "\n"],
  ["w:noBreakHyphen", "\u2011"],
]);

function readSpecial(reader: XmlReader, story: Story, line: Line): void {
  switch (reader.name) {
    case "w:rPr":
      if (reader.mentions("vanish")) story.tally.hidden += 1;
      break;
    case "w:sym": {
      const code = Number.parseInt(reader.attribute("w:char") ?? "", 16);
      const shown = symbol(reader.attribute("w:font") ?? "", code);
      write(shown ?? String.fromCharCode(code || 0xfffd), story, line);
      break;
    }
    case "w:ins":
    case "w:moveTo":
      story.tally.insertions += 1;
      readRuns(reader, story, line);
      break;
    case "w:del":
    case "w:moveFrom":
      story.tally.deletions += 1;
      break;
    case "w:hyperlink":
      readHyperlink(reader, story, line);
      break;
    case "w:fldChar":
      readFieldMark(reader, story, line);
      break;
    case "w:instrText": {
      const field = story.fields.at(-1);
      if (field && !field.shows) field.code += reader.content();
      break;
    }
    case "w:footnoteReference":
    case "w:endnoteReference":
    case "w:commentReference":
      cite(reader.name.slice(2, -9), reader.attribute("w:id") ?? "", story, line);
      break;
    case "w:ruby":
      readRuby(reader, story, line);
      break;
    case "m:oMath":
    case "m:oMathPara":
      write(readEquation(reader), story, line);
      break;
    case "w:drawing":
    case "w:pict":
    case "w:object":
      readDrawing(reader, story, line);
      break;
    case "mc:AlternateContent":
      readAlternative(reader, () => readRuns(reader, story, line));
      break;
    default:
  }
}

/** Reads the first of several representations. */
function readAlternative(reader: XmlReader, read: () => void): void {
  let isRead = false;
  for (const name of reader.children()) {
    if (isRead || (name !== "mc:Choice" && name !== "mc:Fallback")) continue;
    isRead = true;
    read();
  }
}

function write(text: string, story: Story, line: Line): void {
  if (story.fields.every(({ shows }) => shows)) line.text += text;
}

function readHyperlink(reader: XmlReader, story: Story, line: Line): void {
  const relation = story.relations.get(reader.attribute("r:id") ?? "");
  const inside: Line = { text: "", boxes: line.boxes };
  readRuns(reader, story, inside);
  line.text += link(inside.text, relation?.target);
}

function readFieldMark(reader: XmlReader, story: Story, line: Line): void {
  const { fields } = story;
  switch (reader.attribute("w:fldCharType")) {
    case "begin": {
      const field: Field = { code: "", shows: false, line: undefined, start: 0 };
      if (fields.length < deepest) fields.push(field);
      line.text += readCheckBox(reader);
      return;
    }
    case "separate": {
      const field = fields.at(-1);
      if (field) Object.assign(field, { shows: true, line, start: line.text.length });
      return;
    }
    case "end": {
      const field = fields.pop();
      const target = /^\s*HYPERLINK\s+"([^"]*)"/i.exec(field?.code ?? "")?.[1];
      if (field?.line === line && target !== undefined && field.start < longestLinked)
        line.text = line.text.slice(0, field.start) + link(line.text.slice(field.start), target);
      return;
    }
    default:
  }
}

/** No link is made in longer, hostile paragraphs, because copying them for each link would take quadratic time. */
const longestLinked = 50_000;

/** No real document nests fields deeper. */
const deepest = 100;

function cite(kind: string, id: string, { notes, tally, cited }: Story, line: Line): void {
  const key = `${kind} ${id}`;
  const note = notes.get(key);
  if (note === undefined) return;
  const known = tally.labels.get(key);
  if (known !== undefined) {
    line.text += `[^${known}]`;
    return;
  }
  const label = nextLabel(tally.cited, kind);
  tally.labels.set(key, label);
  line.text += `[^${label}]`;
  append(cited, [{ kind: "note", label, text: note.text }], note.comments);
}

/** Reads pictures, text boxes, charts and diagrams at any depth. */
function readDrawing(reader: XmlReader, story: Story, line: Line, frame: Frame = {}): void {
  for (const name of reader.children()) {
    switch (name) {
      case "wp:docPr":
      case "pic:cNvPr":
        frame.description ??= reader.attribute("descr") || reader.attribute("title") || undefined;
        break;
      case "w:txbxContent":
        append(line.boxes, readBlocks(reader, story));
        break;
      case "pic:blipFill":
      case "v:imagedata":
        story.tally.pictures += 1;
        line.text += picture(frame.description ?? reader.attribute("o:title"));
        break;
      case "o:OLEObject":
        story.tally.embedded += 1;
        break;
      case "mc:AlternateContent":
        readAlternative(reader, () => readDrawing(reader, story, line, frame));
        break;
      default: {
        const blocks = readGraphic(reader, story.opened, story.relations);
        if (blocks) append(line.boxes, blocks);
        else readDrawing(reader, story, line, { description: reader.attribute("alt") ?? frame.description });
      }
    }
  }
}

interface Frame {
  description?: string | undefined;
}

/** Reads the check box of a form field, which has no other text. */
function readCheckBox(reader: XmlReader): string {
  let shown = "";
  for (const name of reader.children("w:ffData")) {
    if (name !== "w:checkBox") continue;
    shown = "☐";
    for (const state of reader.children()) {
      const isOn = !["0", "false"].includes(reader.attribute("w:val") ?? "1");
      if (state === "w:checked" || state === "w:default") shown = isOn ? "☒" : "☐";
    }
  }
  return shown;
}

/** Reads a text with its pronunciation, and writes the pronunciation after it. */
function readRuby(reader: XmlReader, story: Story, line: Line): void {
  const above: Line = { text: "", boxes: line.boxes };
  for (const name of reader.children()) {
    if (name === "w:rt") readRuns(reader, story, above);
    else readInline(reader, story, line);
  }
  if (above.text !== "") line.text += `(${above.text})`;
}
