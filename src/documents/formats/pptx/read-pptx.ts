import { counted } from "../../../lib/counted.ts";
import { gatherParts } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { mainPart, openPackage, type Package, type Relations } from "../office/open-package.ts";
import { packageProperties } from "../office/properties.ts";
import { readAuthors } from "./comments.ts";
import { readSlide } from "./read-slide.ts";
import type { SlideShow } from "./slide-show.ts";

/** PowerPoint presentations, shows and templates. */
export const readPptx: DocumentReader = async (source, wanted, desk) => {
  const opened = openPackage(source, desk);
  const part = mainPart(opened, "ppt/presentation.xml");
  const relations = opened.relations(part);
  const slides = readOrder(opened, part, relations);
  const tally = { pictures: 0, embedded: 0 };
  const show: SlideShow = { opened, authors: readAuthors(opened, relations), layouts: new Map(), tally };
  const order = { one: "slide", total: slides.length };
  const gathered = await gatherParts(wanted, { ...order, name: source.name }, (number) => {
    if (number % 20 === 0) desk.progress(`slide ${number} of ${slides.length}`);
    return readSlide(show, slides[number - 1]!, number);
  });
  return {
    format: "pptx",
    description: "PowerPoint presentation",
    properties: packageProperties(opened),
    consistsOf: order,
    ...gathered,
    notes: [...opened.zip.notes, ...remarks(tally)],
    images: [],
  };
};

/** Slides as they are shown, whatever their files are called. */
function readOrder(opened: Package, part: string, relations: Relations): readonly string[] {
  const reader = opened.need(part);
  const slides: string[] = [];
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("p:sldIdLst")) continue;
    const inside = reader.depth;
    while (reader.child(inside)) {
      const target = relations.get(reader.attribute("r:id") ?? "")?.target;
      if (reader.is("p:sldId") && target !== undefined) slides.push(target);
    }
  }
  return slides;
}

function remarks({ pictures, embedded }: SlideShow["tally"]): string[] {
  return [
    pictures > 0 ? `has ${counted(pictures, "picture")} here, shown as ![description]` : "",
    embedded > 0 ? `has ${counted(embedded, "embedded object")} here, not shown` : "",
  ].filter((remark) => remark !== "");
}
