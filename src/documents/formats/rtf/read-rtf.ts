import { asBuffer } from "../../../lib/as-buffer.ts";
import { counted } from "../../../lib/counted.ts";
import { damaged } from "../../damaged.ts";
import type { DocumentReader } from "../../reader.ts";
import { append, type Block } from "../office/blocks.ts";
import { showSections } from "../office/sections.ts";
import { information } from "./destinations.ts";
import { plainParagraph } from "./sheet.ts";
import { beginStory, type Story } from "./story.ts";
import { endGroup, takeToken } from "./take-token.ts";
import { tokensOf } from "./tokens.ts";

/** Rich Text Format. */
export const readRtf: DocumentReader = async (source, wanted, { budget }) => {
  const text = asBuffer(source.bytes).toString("latin1");
  const start = text.indexOf("{\\rtf");
  if (start === -1 || start > 100) throw damaged(source.name, "it does not begin as RTF");
  const story = beginStory(budget);
  for (const token of tokensOf(start === 0 ? text : text.slice(start))) if (!takeToken(story, token)) break;
  const isWhole = story.groups.length === 0;
  while (story.groups.length > 0) endGroup(story);
  const blocks: Block[] = [];
  append(blocks, story.sheet.end(plainParagraph));
  for (const [said, margin] of story.margins) blocks.push({ kind: "paragraph", text: `${margin}: ${said}` });
  return {
    format: "rtf",
    description: "RTF document",
    properties: propertiesOf(story),
    ...(await showSections(blocks, source, wanted)),
    notes: remarks(story, isWhole),
    images: [],
  };
};

function propertiesOf({ properties }: Story): Readonly<Record<string, string>> {
  const names = [...information.values(), "software"];
  return Object.fromEntries(
    names.flatMap((name) => (properties.has(name) ? [[name, properties.get(name)!]] : [])),
  );
}

function remarks({ tally: { changes, hidden, pictures } }: Story, isWhole: boolean): string[] {
  return [
    isWhole ? "" : "breaks off in the middle: what is missing cannot be known",
    changes > 0 ? `has ${counted(changes, "tracked change")}, shown as accepted` : "",
    hidden > 0 ? `has hidden text in ${counted(hidden, "place")}, shown like the rest` : "",
    pictures > 0 ? `has ${counted(pictures, "picture")}, shown as ![description]` : "",
  ].filter((remark) => remark !== "");
}
