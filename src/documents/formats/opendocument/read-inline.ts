import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, cellText } from "../office/blocks.ts";
import { link } from "../office/link.ts";
import { readBlocks } from "./read-blocks.ts";
import { isShape, readShape } from "./read-shape.ts";
import { readSpaces } from "./read-spaces.ts";
import type { Line, Story } from "./story.ts";

/** The text of a paragraph, span or field; the reader stands at its beginning. */
export function readInline(reader: XmlReader, story: Story, line: Line): void {
  const { depth } = reader;
  for (let node = reader.node(depth); node; node = reader.node(depth)) {
    if (node === "element") readElement(reader, story, line);
    // Line breaks and several spaces are written as elements; in the text they are only layout.
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
    case "text:tracked-changes":
    case "presentation:footer-decl":
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
  const { depth } = reader;
  while (reader.child(depth))
    if (reader.name === "text:note-body") text = cellText(readBlocks(reader, story)).trim();
  story.cited.push({ kind: "note", label, text });
}

/** What somebody remarks, and who. */
export function readComment(reader: XmlReader, story: Story): string {
  let author = "";
  let day = "";
  const said: Line = { text: "", boxes: [] };
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "dc:creator") author = reader.content();
    else if (reader.name === "dc:date") day = reader.content().slice(0, 10);
    else if (reader.name === "text:p" || reader.name === "text:list") {
      if (said.text !== "") said.text += "\n";
      readInline(reader, story, said);
    }
  }
  const by = `comment by ${author || "an unnamed person"}${day === "" ? "" : ` (${day})`}: `;
  return by + said.text.trim() + cellText(said.boxes);
}

function cite(kind: string, { tally }: Story, line: Line): string {
  const count = (tally.cited.get(kind) ?? 0) + 1;
  tally.cited.set(kind, count);
  const label = kind === "footnote" ? `${count}` : `${kind}-${count}`;
  line.text += `[^${label}]`;
  return label;
}
