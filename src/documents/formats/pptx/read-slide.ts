import type { DocumentPart } from "../../../contract/document.ts";
import { type Block, showBlocks } from "../office/blocks.ts";
import { showSlide } from "../office/show-slide.ts";
import { readComments } from "./comments.ts";
import { placeholdersOf } from "./placeholders.ts";
import { readShapes, type Shape } from "./read-shapes.ts";
import { type Slide, type SlideShow, slideOf } from "./slide-show.ts";

/** A slide: its title, what stands on it in reading order, what the speaker notes, what others comment. */
export function readSlide(show: SlideShow, part: string, number: number): DocumentPart {
  const slide = slideOf(show, part);
  const { shapes, isHidden } = readPart(slide, part);
  const isTitle = ({ placeholder }: Shape) => placeholder === "title" || placeholder === "ctrTitle";
  // The number of the slide is what it is asked for by.
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
  reader.child(0);
  const isHidden = ["0", "false"].includes(reader.attribute("show") ?? "");
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("p:cSld")) continue;
    const inside = reader.depth;
    while (reader.child(inside))
      if (reader.is("p:spTree")) shapes = readShapes(reader, slide, placeholdersOf(slide));
  }
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
