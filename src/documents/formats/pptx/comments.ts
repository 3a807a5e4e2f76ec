import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block, cellText } from "../office/blocks.ts";
import type { Package, Relations } from "../office/open-package.ts";
import { readText } from "./read-text.ts";
import type { Slide } from "./slide-show.ts";

/** The names of those who comment, as either generation of PowerPoint keeps them. */
export function readAuthors(opened: Package, relations: Relations): ReadonlyMap<string, string> {
  const authors = new Map<string, string>();
  for (const { type, target } of relations.values()) {
    const reader = type === "commentAuthors" || type === "authors" ? opened.open(target) : undefined;
    if (!reader?.child(0)) continue;
    const { depth } = reader;
    while (reader.child(depth)) authors.set(reader.attribute("id") ?? "", reader.attribute("name") ?? "");
  }
  return authors;
}

/** The comments on a slide, and the answers to them. */
export function readComments({ show, relations }: Slide): Block[] {
  const blocks: Block[] = [];
  for (const { type, target } of relations().values()) {
    const reader = type === "comments" ? show.opened.open(target) : undefined;
    if (!reader?.child(0)) continue;
    const { depth } = reader;
    while (reader.child(depth)) readComment(reader, show.authors, relations, blocks);
  }
  return blocks;
}

function readComment(
  reader: XmlReader,
  authors: ReadonlyMap<string, string>,
  relations: () => Relations,
  blocks: Block[],
): void {
  const author = authors.get(reader.attribute("authorId") ?? "") || "an unnamed person";
  const day = (reader.attribute("dt") ?? reader.attribute("created"))?.slice(0, 10);
  const by = `comment by ${author}${day === undefined ? "" : ` (${day})`}: `;
  // Answers are written before what they answer.
  const answers: Block[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "p:text") blocks.push({ kind: "paragraph", text: by + reader.content() });
    else if (reader.name === "p188:txBody")
      blocks.push({ kind: "paragraph", text: by + cellText(readText(reader, relations, { isList: false })) });
    else if (reader.is("p188:replyLst")) {
      const replies = reader.depth;
      while (reader.child(replies)) readComment(reader, authors, relations, answers);
    }
  }
  append(blocks, answers);
}
