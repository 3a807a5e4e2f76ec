import type { DocumentReader } from "../../reader.ts";
import { type Block, cellText, commentBy, notesOnTally } from "../../shared/blocks.ts";
import {
  mainPart,
  openPackage,
  type Package,
  packageProperties,
  type Relations,
} from "../../shared/office-package.ts";
import { showSections } from "../../shared/sections.ts";
import { Numbering } from "./numbering.ts";
import { readBlocks } from "./read-text.ts";
import type { Note, Notes, Story, Tally } from "./story.ts";
import { readStyles } from "./styles.ts";

/** Reads Word documents and templates. Macros are never read. */
export const readDocx: DocumentReader = async (source, wanted, context) => {
  const opened = openPackage(source, context);
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
    budget: context.budget,
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
    notes: [
      ...opened.zip.notes,
      ...notesOnTally(
        { ...tally, changes: tally.insertions + tally.deletions },
        { embedded: "embedded file" },
      ),
    ],
  };
};

function readBody(opened: Package, part: string, story: Story): Block[] {
  const reader = opened.need(part);
  const blocks: Block[] = [];
  for (const name of reader.children()) if (name === "w:body") readBlocks(reader, story, blocks);
  if (story.joined !== "") blocks.push({ kind: "paragraph", text: story.joined });
  return blocks;
}

function readMargins(
  opened: Package,
  tally: Tally,
  storyOf: (part: string) => Story,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of tally.margins) {
    const reader = opened.open(part);
    if (!reader) continue;
    const margin = reader.name === "w:hdr" ? "Page header" : "Page footer";
    const text = cellText(readBlocks(reader, storyOf(part))).trim();
    if (text !== "" && !found.has(text)) found.set(text, margin);
  }
  return found;
}

function readNotes(
  opened: Package,
  relations: Relations,
  storyOf: (part: string, notes: Notes) => Story,
): Notes {
  const parts = [...relations.values()];
  const read = (kind: string, known: Notes) =>
    parts.filter(({ type }) => type === `${kind}s`).flatMap(({ target }) => readPart(kind, target, known));
  const comments: Notes = new Map(read("comment", new Map()));
  return new Map([...comments, ...read("footnote", comments), ...read("endnote", comments)]);

  function readPart(kind: string, part: string, known: Notes): (readonly [string, Note])[] {
    const reader = opened.open(part);
    if (!reader) return [];
    const story = storyOf(part, known);
    const notes: (readonly [string, Note])[] = [];
    for (const _ of reader.children()) {
      // The lines that separate notes from the text are stored like notes.
      if (/separator|notice/i.test(reader.attribute("w:type") ?? "")) continue;
      const id = reader.attribute("w:id") ?? "";
      const by = commentBy(reader.attribute("w:author"), reader.attribute("w:date")?.slice(0, 10));
      const blocks = readBlocks(reader, story);
      const text = cellText(blocks.filter((block) => block.kind !== "note")).trim();
      const comments = blocks.filter((block) => block.kind === "note");
      notes.push([`${kind} ${id}`, { text: kind === "comment" ? by + text : text, comments }]);
    }
    return notes;
  }
}
