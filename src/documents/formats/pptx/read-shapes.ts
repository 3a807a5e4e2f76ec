import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block, cellText } from "../office/blocks.ts";
import { readGraphic } from "../office/drawings.ts";
import { picture } from "../office/link.ts";
import { inReadingOrder, type Place } from "../office/reading-order.ts";
import { readText } from "./read-text.ts";
import type { Slide } from "./slide-show.ts";

/** Something that stands on a slide. */
export interface Shape {
  readonly place: Place | undefined;
  /** What it holds the place of: "title", "body", "sldNum"; undefined for what is drawn freely. */
  readonly placeholder: string | undefined;
  readonly blocks: readonly Block[];
}

/** Where the placeholders of the slide's layout stand, by "title" or by number. */
export type Placeholders = () => ReadonlyMap<string, Place>;

/** The shapes in the element that the reader stands at, in reading order. */
export function readShapes(reader: XmlReader, slide: Slide, placeholders: Placeholders): readonly Shape[] {
  const shapes: Shape[] = [];
  collect(reader, slide, placeholders, shapes);
  return inReadingOrder(shapes);
}

/** Adds them in the order of the file. Answers with the place of a group. */
function collect(
  reader: XmlReader,
  slide: Slide,
  placeholders: Placeholders,
  shapes: Shape[],
): Place | undefined {
  const { depth } = reader;
  let isChosen = false;
  let place: Place | undefined;
  while (reader.child(depth)) {
    switch (reader.name) {
      case "p:sp":
      case "p:pic":
      case "p:graphicFrame":
      case "p:cxnSp":
        shapes.push(readShape(reader, slide, placeholders));
        break;
      case "p:grpSp":
        shapes.push(readGroup(reader, slide, placeholders));
        break;
      case "p:grpSpPr":
        place = readPlace(reader);
        break;
      case "mc:AlternateContent":
        collect(reader, slide, placeholders, shapes);
        break;
      case "mc:Choice":
      case "mc:Fallback":
        if (!isChosen) collect(reader, slide, placeholders, shapes);
        isChosen = true;
        break;
      default:
    }
  }
  return place;
}

/** Its shapes count their places in units of its own, so it is one thing on the slide. */
function readGroup(reader: XmlReader, slide: Slide, placeholders: Placeholders): Shape {
  const shapes: Shape[] = [];
  const place = collect(reader, slide, placeholders, shapes);
  const blocks: Block[] = [];
  for (const shape of inReadingOrder(shapes)) append(blocks, shape.blocks);
  return { place, placeholder: undefined, blocks };
}

interface Described {
  description: string | undefined;
  placeholder: string | undefined;
  number: string | undefined;
}

function readShape(reader: XmlReader, slide: Slide, placeholders: Placeholders): Shape {
  const isPicture = reader.name === "p:pic";
  const said: Described = { description: undefined, placeholder: undefined, number: undefined };
  const blocks: Block[] = [];
  let place: Place | undefined;
  const { depth } = reader;
  while (reader.child(depth)) {
    if (/^p:nv\w+Pr$/.test(reader.name)) describe(reader, said);
    else if (reader.name === "p:spPr") place = readPlace(reader);
    else if (reader.name === "p:xfrm") place = readFrame(reader);
    else if (reader.name === "p:txBody") {
      const isList = ["body", "obj", ""].includes(said.placeholder ?? "title");
      append(blocks, readText(reader, slide.relations, { isList }));
    } else if (reader.name === "a:graphic") append(blocks, readFrameContent(reader, slide));
  }
  if (isPicture) {
    slide.show.tally.pictures += 1;
    blocks.push({ kind: "paragraph", text: picture(said.description) });
  }
  if (place === undefined && said.placeholder !== undefined)
    place = placeholders().get(said.number ?? "") ?? placeholders().get(said.placeholder);
  return { place, placeholder: said.placeholder, blocks };
}

/** What is said of a shape before it is drawn. */
function describe(reader: XmlReader, said: Described): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "p:cNvPr") said.description = reader.attribute("descr") || reader.attribute("title");
    else if (reader.is("p:nvPr")) {
      const inside = reader.depth;
      while (reader.child(inside)) {
        if (reader.name !== "p:ph") continue;
        said.placeholder = reader.attribute("type") ?? "";
        said.number = reader.attribute("idx");
      }
    }
  }
}

/** A table, chart, diagram, or something embedded. */
function readFrameContent(reader: XmlReader, slide: Slide): Block[] {
  const { depth } = reader;
  const blocks: Block[] = [];
  while (reader.child(depth)) {
    if (reader.name === "a:tbl") blocks.push(readTable(reader, slide));
    else if (reader.name === "p:oleObj") slide.show.tally.embedded += 1;
    else
      append(
        blocks,
        readGraphic(reader, slide.show.opened, slide.relations()) ?? readFrameContent(reader, slide),
      );
  }
  return blocks;
}

function readTable(reader: XmlReader, slide: Slide): Block {
  const rows: string[][] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("a:tr")) continue;
    const row: string[] = [];
    const cells = reader.depth;
    while (reader.child(cells)) {
      if (!reader.is("a:tc")) continue;
      let text = "";
      const cell = reader.depth;
      while (reader.child(cell))
        if (reader.is("a:txBody")) text = cellText(readText(reader, slide.relations, { isList: false }));
      row.push(text);
    }
    rows.push(row);
  }
  slide.show.opened.budget.walk(rows.length * rows.reduce((most, { length }) => Math.max(most, length), 0));
  return { kind: "table", rows };
}

/** Where the properties of a shape put it. */
export function readPlace(reader: XmlReader): Place | undefined {
  let place: Place | undefined;
  const { depth } = reader;
  while (reader.child(depth)) if (reader.is("a:xfrm")) place = readFrame(reader);
  return place;
}

function readFrame(reader: XmlReader): Place {
  const place = { top: 0, left: 0, height: 0 };
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "a:off") {
      place.left = Number(reader.attribute("x")) || 0;
      place.top = Number(reader.attribute("y")) || 0;
    } else if (reader.name === "a:ext") place.height = Number(reader.attribute("cy")) || 0;
  }
  return place;
}
