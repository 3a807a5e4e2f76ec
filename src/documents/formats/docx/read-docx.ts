import { counted } from "../../../lib/counted.ts";
import type { DocumentReader } from "../../reader.ts";
import { type Block, cellText } from "../office/blocks.ts";
import { mainPart, openPackage, type Package } from "../office/open-package.ts";
import { packageProperties } from "../office/properties.ts";
import { showSections } from "../office/sections.ts";
import { Numbering } from "./numbering.ts";
import { readBlocks } from "./read-blocks.ts";
import { readNotes } from "./read-notes.ts";
import type { Notes, Story, Tally } from "./story.ts";
import { readStyles } from "./styles.ts";

/** Word documents and templates, with or without macros (which are never looked at). */
export const readDocx: DocumentReader = async (source, wanted, desk) => {
  const opened = openPackage(source, desk);
  const part = mainPart(opened, "word/document.xml");
  const relations = opened.relations(part);
  const related = (type: string) => [...relations.values()].find((each) => each.type === type)?.target;
  const styles = readStyles(opened.open(related("styles") ?? "word/styles.xml"));
  const tally: Tally = {
    insertions: 0,
    deletions: 0,
    pictures: 0,
    hidden: 0,
    embedded: 0,
    labels: new Map(),
    cited: new Map(),
    margins: new Set(),
  };
  const openNumbering = () =>
    new Numbering(opened.open(related("numbering") ?? "word/numbering.xml"), styles);
  const numberingOfOthers = openNumbering();
  const storyOf = (name: string, notes: Notes): Story => ({
    opened,
    budget: desk.budget,
    relations: name === part ? relations : opened.relations(name),
    styles,
    numbering: name === part ? openNumbering() : numberingOfOthers,
    fields: [],
    notes,
    cited: [],
    tally,
    joined: "",
  });
  const notes = readNotes(opened, relations, storyOf);
  const blocks = readBody(opened, part, storyOf(part, notes));
  for (const [text, margin] of readMargins(opened, tally, (name) => storyOf(name, notes)))
    blocks.push({ kind: "paragraph", text: `${margin}: ${text}` });
  return {
    format: "docx",
    description: "Word document",
    properties: packageProperties(opened),
    ...(await showSections(blocks, source, wanted)),
    notes: [...opened.zip.notes, ...remarks(tally)],
    images: [],
  };
};

function readBody(opened: Package, part: string, story: Story): Block[] {
  const reader = opened.need(part);
  const blocks: Block[] = [];
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) if (reader.name === "w:body") readBlocks(reader, story, blocks);
  if (story.joined !== "") blocks.push({ kind: "paragraph", text: story.joined });
  return blocks;
}

/** What the headers and footers say, each text once, with what it stands in. */
function readMargins(
  opened: Package,
  tally: Tally,
  storyOf: (part: string) => Story,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of tally.margins) {
    const reader = opened.open(part);
    if (!reader?.child(0)) continue;
    const margin = reader.name === "w:hdr" ? "Page header" : "Page footer";
    const text = cellText(readBlocks(reader, storyOf(part))).trim();
    if (text !== "" && !found.has(text)) found.set(text, margin);
  }
  return found;
}

function remarks({ insertions, deletions, pictures, hidden, embedded }: Tally): string[] {
  const changes = insertions + deletions;
  return [
    changes > 0 ? `has ${counted(changes, "tracked change")}, shown as accepted` : "",
    hidden > 0 ? `has hidden text in ${counted(hidden, "place")}, shown like the rest` : "",
    pictures > 0 ? `has ${counted(pictures, "picture")}, shown as ![description]` : "",
    embedded > 0 ? `has ${counted(embedded, "embedded file")}, not shown` : "",
  ].filter((remark) => remark !== "");
}
