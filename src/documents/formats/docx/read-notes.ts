import { cellText } from "../office/blocks.ts";
import type { Package, Relations } from "../office/open-package.ts";
import { readBlocks } from "./read-blocks.ts";
import type { Note, Notes, Story } from "./story.ts";

/** What the footnotes, endnotes and comments say, by "footnote 2". */
export function readNotes(
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
    if (!reader?.child(0)) return [];
    const story = storyOf(part, known);
    const notes: (readonly [string, Note])[] = [];
    const { depth } = reader;
    while (reader.child(depth)) {
      // Lines that separate notes from the text are written like notes.
      if (/separator|notice/i.test(reader.attribute("w:type") ?? "")) continue;
      const id = reader.attribute("w:id") ?? "";
      const author = reader.attribute("w:author");
      const day = reader.attribute("w:date")?.slice(0, 10);
      const by = `comment by ${author || "an unnamed person"}${day === undefined ? "" : ` (${day})`}: `;
      const blocks = readBlocks(reader, story);
      const text = cellText(blocks.filter((block) => block.kind !== "note")).trim();
      const comments = blocks.filter((block) => block.kind === "note");
      notes.push([`${kind} ${id}`, { text: kind === "comment" ? by + text : text, comments }]);
    }
    return notes;
  }
}
