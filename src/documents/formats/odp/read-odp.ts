import { counted } from "../../../lib/counted.ts";
import { gatherParts } from "../../anchors.ts";
import { damaged } from "../../damaged.ts";
import type { DocumentReader } from "../../reader.ts";
import { decodeXml } from "../../xml/decode-xml.ts";
import { XmlReader } from "../../xml/xml-reader.ts";
import { openDocumentProperties } from "../office/properties.ts";
import { openOpenDocument } from "../opendocument/open-opendocument.ts";
import { openStory } from "../opendocument/open-story.ts";
import { noStyles, type OpenDocumentStyles, readStyles } from "../opendocument/read-styles.ts";
import type { Story } from "../opendocument/story.ts";
import { readSlide } from "./read-slide.ts";

/** OpenDocument presentations and drawings, and their templates. Pages are counted first, and only those read that are shown. */
export const readOdp: DocumentReader = async (source, wanted, desk) => {
  const opened = openOpenDocument(source, desk);
  const entry = opened.zip.find("content.xml");
  if (!entry) throw damaged(source.name, "content.xml is missing");
  const xml = decodeXml(opened.zip.read(entry));
  const open = () => new XmlReader(xml, `content.xml in ${source.name}`, desk.budget);
  const order = { one: "slide", total: 0 };
  for (const { isDrawing } of pagesOf(open(), noStyles())) {
    order.total += 1;
    if (isDrawing) order.one = "page";
  }
  const { story, styles } = openStory(opened, desk);
  const reader = open();
  const pages = pagesOf(reader, styles);
  let reached = 0;
  const gathered = await gatherParts(wanted, { ...order, name: source.name }, (number) => {
    for (; reached < number; reached += 1) pages.next();
    return readSlide(reader, story, styles.hidden, `${order.one} ${number}`);
  });
  return {
    format: order.one === "slide" ? "odp" : "odg",
    description: order.one === "slide" ? "OpenDocument presentation" : "OpenDocument drawing",
    properties: openDocumentProperties(opened),
    consistsOf: order,
    ...gathered,
    notes: [...opened.zip.notes, ...remarks(story)],
    images: [],
  };
};

/** Stops with the reader at each page; the styles that stand before them are added to the others. */
function* pagesOf(
  reader: XmlReader,
  styles: OpenDocumentStyles,
): Generator<{ readonly isDrawing: boolean }, void, undefined> {
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "office:automatic-styles") readStyles(reader, styles);
    if (!reader.is("office:body")) continue;
    const body = reader.depth;
    while (reader.child(body)) {
      const isDrawing = reader.is("office:drawing");
      const inside = reader.depth;
      while (reader.child(inside)) if (reader.is("draw:page")) yield { isDrawing };
    }
  }
}

function remarks({ tally: { pictures, embedded } }: Story): string[] {
  return [
    pictures > 0 ? `has ${counted(pictures, "picture")} here, shown as ![description]` : "",
    embedded > 0 ? `has ${counted(embedded, "embedded object")} here, not shown` : "",
  ].filter((remark) => remark !== "");
}
