import { counted } from "../../lib/text/format-quantity.ts";
import type { DocumentReader } from "../reader.ts";
import { type Block, cellText, notesOnTally } from "../shared/blocks.ts";
import { openDocumentProperties } from "../shared/office-package.ts";
import { openOpenDocument, openStory } from "../shared/opendocument/open.ts";
import { readBlocks } from "../shared/opendocument/read-text.ts";
import { readStyles } from "../shared/opendocument/styles.ts";
import { showSections } from "../shared/sections.ts";

/** Reads OpenDocument texts and their templates. */
export const readOdt: DocumentReader = async (source, wanted, context) => {
  const opened = openOpenDocument(source, context);
  const { story, styles } = openStory(opened, context);
  const blocks: Block[] = [];
  const reader = opened.need("content.xml");
  for (const name of reader.children()) {
    if (name === "office:automatic-styles") readStyles(reader, styles);
    else if (name === "office:body") for (const _ of reader.children()) readBlocks(reader, story, blocks);
  }
  const margins = new Map<string, string>();
  const pages = opened.open("styles.xml");
  for (const name of pages?.children("office:master-styles", "style:master-page") ?? []) {
    const margin = /^style:(header|footer)(?:-left|-first)?$/.exec(name)?.[1];
    const text = margin === undefined ? "" : cellText(readBlocks(pages!, story)).trim();
    if (text !== "" && !margins.has(text)) margins.set(text, `Page ${margin}`);
  }
  for (const [text, margin] of margins) blocks.push({ kind: "paragraph", text: `${margin}: ${text}` });
  const { repeated } = story.tally;
  return {
    format: "odt",
    description: "OpenDocument text",
    properties: openDocumentProperties(opened),
    ...(await showSections(blocks, source, wanted)),
    notes: [
      ...opened.zip.notes,
      ...notesOnTally(story.tally),
      ...(repeated > 0
        ? [
            `repeats ${counted(repeated, "row or cell", "rows or cells")} more than 100 times, shown 100 times`,
          ]
        : []),
    ],
  };
};
