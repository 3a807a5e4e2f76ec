import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { type DocumentReader, damaged } from "../../reader.ts";
import { type Block, notesOnTally } from "../../shared/blocks.ts";
import { showSections } from "../../shared/sections.ts";
import { plainParagraph } from "./sheet.ts";
import { information, Story } from "./story.ts";
import { tokensOf } from "./tokens.ts";

export const readRtf: DocumentReader = async (source, wanted, { budget }) => {
  const text = asBuffer(source.bytes).toString("latin1");
  const start = text.indexOf("{\\rtf");
  if (start === -1 || start > 100) throw damaged(source.name, "it does not begin as RTF");
  const story = new Story(budget);
  for (const token of tokensOf(text.slice(start))) if (!story.take(token)) break;
  const isWhole = story.end();
  const blocks: Block[] = [...story.sheet.end(plainParagraph)];
  for (const [text, margin] of story.margins) blocks.push({ kind: "paragraph", text: `${margin}: ${text}` });
  const names = [...information.values(), "software"].filter((name) => story.properties.has(name));
  return {
    format: "rtf",
    description: "RTF document",
    properties: Object.fromEntries(names.map((name) => [name, story.properties.get(name)!])),
    ...(await showSections(blocks, source, wanted)),
    notes: [...(isWhole ? [] : ["the file is incomplete: its end is missing"]), ...notesOnTally(story.tally)],
  };
};
