import { cellText } from "../office/blocks.ts";
import type { Package, Relations } from "../office/open-package.ts";
import { readBlocks } from "./read-blocks.ts";
import type { Story } from "./story.ts";

/** What the footnotes, endnotes and comments say, by "footnote 2". */
export function readNotes(
  opened: Package,
  relations: Relations,
  storyOf: (part: string) => Story,
): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const { type, target } of relations.values()) {
    const kind = kinds[type];
    const reader = kind === undefined ? undefined : opened.open(target);
    if (!reader?.child(0)) continue;
    const story = storyOf(target);
    const { depth } = reader;
    while (reader.child(depth)) {
      // Lines that separate notes from the text are written like notes.
      if (/separator|notice/i.test(reader.attribute("w:type") ?? "")) continue;
      const id = reader.attribute("w:id") ?? "";
      const author = reader.attribute("w:author");
      const day = reader.attribute("w:date")?.slice(0, 10);
      const text = cellText(readBlocks(reader, story)).trim();
      const by = `comment by ${author || "an unnamed person"}${day === undefined ? "" : ` (${day})`}: `;
      notes.set(`${kind} ${id}`, kind === "comment" ? by + text : text);
    }
  }
  return notes;
}

const kinds: Readonly<Record<string, string>> = {
  footnotes: "footnote",
  endnotes: "endnote",
  comments: "comment",
};
