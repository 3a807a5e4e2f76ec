import { counted } from "../../lib/text/format-quantity.ts";
import type { DocumentReader } from "../reader.ts";
import { type Block, cellText, notesOnTally } from "../shared/blocks.ts";
import { openDocumentProperties } from "../shared/office-package.ts";
import { openOpenDocument, openStory, type Story } from "../shared/opendocument/open.ts";
import { readBlocks } from "../shared/opendocument/read-text.ts";
import { readStyles } from "../shared/opendocument/styles.ts";
import { showSections } from "../shared/sections.ts";
import type { XmlReader } from "../xml/xml-reader.ts";

/** OpenDocument texts and their templates. */
export const readOdt: DocumentReader = async (source, wanted, context) => {
  const opened = openOpenDocument(source, context);
  const { story, styles } = openStory(opened, context);
  const blocks: Block[] = [];
  const reader = opened.need("content.xml");
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "office:automatic-styles") readStyles(reader, styles);
    else if (reader.is("office:body")) {
      const body = reader.depth;
      while (reader.child(body)) readBlocks(reader, story, blocks);
    }
  }
  for (const [text, margin] of readMargins(opened.open("styles.xml"), story))
    blocks.push({ kind: "paragraph", text: `${margin}: ${text}` });
  return {
    format: "odt",
    description: "OpenDocument text",
    properties: openDocumentProperties(opened),
    ...(await showSections(blocks, source, wanted)),
    notes: [...opened.zip.notes, ...notesOnTally(story.tally), ...notesOnRepeats(story.tally.repeated)],
  };
};

function readMargins(reader: XmlReader | undefined, story: Story): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (reader?.child(0)) lookForMargins(reader, story, found);
  return found;
}

function lookForMargins(reader: XmlReader, story: Story, found: Map<string, string>): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    const margin = /^style:(header|footer)(?:-left|-first)?$/.exec(reader.name)?.[1];
    if (margin !== undefined) {
      const text = cellText(readBlocks(reader, story)).trim();
      if (text !== "" && !found.has(text)) found.set(text, `Page ${margin}`);
    } else if (/^office:master-styles$|^style:master-page$/.test(reader.name))
      lookForMargins(reader, story, found);
  }
}

function notesOnRepeats(count: number): readonly string[] {
  if (count === 0) return [];
  return [`repeats ${counted(count, "row or cell", "rows or cells")} more than 100 times, shown 100 times`];
}
