import type { DocumentPart } from "../../../contract/document.ts";
import { gatherParts } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { append, type Block, cellText, commentBy, notesOnTally, showBlocks } from "../../shared/blocks.ts";
import {
  mainPart,
  openPackage,
  type Package,
  packageProperties,
  type Relations,
} from "../../shared/office-package.ts";
import { showSlide } from "../../shared/slides.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import {
  placeholdersOf,
  readShapes,
  type Shape,
  type Slide,
  type SlideShow,
  slideOf,
} from "./read-shapes.ts";
import { readText } from "./read-text.ts";

export const readPptx: DocumentReader = async (source, wanted, context) => {
  const opened = openPackage(source, context);
  const part = mainPart(opened, "ppt/presentation.xml");
  const relations = opened.relations(part);
  const slides = readOrder(opened, part, relations);
  const tally = { pictures: 0, embedded: 0 };
  const show: SlideShow = { opened, authors: readAuthors(opened, relations), layouts: new Map(), tally };
  const order = { one: "slide", total: slides.length };
  const gathered = await gatherParts(wanted, { ...order, name: source.name }, (number) => {
    if (number % 20 === 0) context.progress(`slide ${number} of ${slides.length}`);
    return readSlide(show, slides[number - 1]!, number);
  });
  return {
    format: "pptx",
    description: "PowerPoint presentation",
    properties: packageProperties(opened),
    consistsOf: order,
    ...gathered,
    notes: [...opened.zip.notes, ...notesOnTally(tally, { here: " here" })],
  };
};

function readOrder(opened: Package, part: string, relations: Relations): readonly string[] {
  const reader = opened.need(part);
  const slides: string[] = [];
  for (const _ of reader.children("p:sldIdLst")) {
    const target = relations.get(reader.attribute("r:id") ?? "")?.target;
    if (target !== undefined) slides.push(target);
  }
  return slides;
}

function readSlide(show: SlideShow, part: string, number: number): DocumentPart {
  const slide = slideOf(show, part);
  const { shapes, isHidden } = readPart(slide, part);
  const isTitle = ({ placeholder }: Shape) => placeholder === "title" || placeholder === "ctrTitle";
  // The slide number is already in the anchor.
  const isOther = (shape: Shape) => !isTitle(shape) && shape.placeholder !== "sldNum";
  return showSlide(`slide ${number}`, {
    titles: shapes.filter(isTitle).map(({ blocks }) => blocks),
    others: shapes.filter(isOther).map(({ blocks }) => blocks),
    remarks: [readSpeakerNotes(slide), readComments(slide)],
    isHidden,
  });
}

function readPart(slide: Slide, part: string): { shapes: readonly Shape[]; isHidden: boolean } {
  const reader = slide.show.opened.need(part);
  let shapes: readonly Shape[] = [];
  const isHidden = ["0", "false"].includes(reader.attribute("show") ?? "");
  for (const name of reader.children("p:cSld"))
    if (name === "p:spTree") shapes = readShapes(reader, slide, placeholdersOf(slide));
  return { shapes, isHidden };
}

function readSpeakerNotes({ show, relations }: Slide): readonly Block[] {
  const part = [...relations().values()].find(({ type }) => type === "notesSlide")?.target;
  if (part === undefined || !show.opened.zip.find(part)) return [];
  const { shapes } = readPart(slideOf(show, part), part);
  const text = shapes
    .filter(({ placeholder }) => placeholder === "body")
    .map(({ blocks }) =>
      showBlocks(blocks.map((block) => ("text" in block ? { kind: "paragraph", text: block.text } : block))),
    )
    .join("\n\n")
    .trim();
  return text === "" ? [] : [{ kind: "paragraph", text: `Speaker notes: ${text}` }];
}

/** Reads the names of the comment authors, in the old and the new format of PowerPoint. */
function readAuthors(opened: Package, relations: Relations): ReadonlyMap<string, string> {
  const authors = new Map<string, string>();
  for (const { type, target } of relations.values()) {
    const reader = type === "commentAuthors" || type === "authors" ? opened.open(target) : undefined;
    for (const _ of reader?.children() ?? [])
      authors.set(reader!.attribute("id") ?? "", reader!.attribute("name") ?? "");
  }
  return authors;
}

function readComments({ show, relations }: Slide): Block[] {
  const blocks: Block[] = [];
  for (const { type, target } of relations().values()) {
    const reader = type === "comments" ? show.opened.open(target) : undefined;
    for (const _ of reader?.children() ?? []) readComment(reader!, show.authors, relations, blocks);
  }
  return blocks;
}

function readComment(
  reader: XmlReader,
  authors: ReadonlyMap<string, string>,
  relations: () => Relations,
  blocks: Block[],
): void {
  const day = (reader.attribute("dt") ?? reader.attribute("created"))?.slice(0, 10);
  const by = commentBy(authors.get(reader.attribute("authorId") ?? ""), day);
  // In the file, replies come before their comment.
  const answers: Block[] = [];
  for (const name of reader.children()) {
    if (name === "p:text") blocks.push({ kind: "paragraph", text: by + reader.content() });
    else if (name === "p188:txBody")
      blocks.push({ kind: "paragraph", text: by + cellText(readText(reader, relations, { isList: false })) });
    else if (name === "p188:replyLst")
      for (const _ of reader.children()) readComment(reader, authors, relations, answers);
  }
  append(blocks, answers);
}
