import type { DocumentPart } from "../../../contract/document.ts";
import { counted } from "../../../text/counted.ts";
import { gatherParts } from "../../anchors.ts";
import type { DocumentReader } from "../../reader.ts";
import { openDocumentProperties } from "../office/properties.ts";
import { openOpenDocument } from "../opendocument/open-opendocument.ts";
import { openStory } from "../opendocument/open-story.ts";
import { readStyles } from "../opendocument/read-styles.ts";
import type { Story } from "../opendocument/story.ts";
import { readSlide } from "./read-slide.ts";

/** OpenDocument presentations and drawings, and their templates. */
export const readOdp: DocumentReader = async (source, wanted, desk) => {
  const opened = openOpenDocument(source, desk);
  const { story, styles } = openStory(opened, desk);
  const slides: DocumentPart[] = [];
  const reader = opened.need("content.xml");
  let one = "slide";
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "office:automatic-styles") readStyles(reader, styles);
    else if (reader.is("office:body")) {
      const body = reader.depth;
      while (reader.child(body)) {
        if (reader.is("office:drawing")) one = "page";
        const inside = reader.depth;
        while (reader.child(inside))
          if (reader.is("draw:page"))
            slides.push(readSlide(reader, story, styles.hidden, `${one} ${slides.length + 1}`));
      }
    }
  }
  const order = { one, total: slides.length };
  return {
    format: one === "slide" ? "odp" : "odg",
    description: one === "slide" ? "OpenDocument presentation" : "OpenDocument drawing",
    properties: openDocumentProperties(opened),
    consistsOf: order,
    ...(await gatherParts(wanted, { ...order, name: source.name }, (number) => slides[number - 1]!)),
    notes: [...opened.zip.notes, ...remarks(story)],
    images: [],
  };
};

function remarks({ tally: { pictures, embedded } }: Story): string[] {
  return [
    pictures > 0 ? `has ${counted(pictures, "picture")}, shown as ![description]` : "",
    embedded > 0 ? `has ${counted(embedded, "embedded object")}, not shown` : "",
  ].filter((remark) => remark !== "");
}
