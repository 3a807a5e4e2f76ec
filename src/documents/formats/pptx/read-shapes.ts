import { append, type Block, cellText, picture } from "../../shared/blocks.ts";
import { readGraphic } from "../../shared/drawings.ts";
import type { Package, Relations } from "../../shared/office-package.ts";
import { inReadingOrder, type ShapePosition } from "../../shared/slides.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import { readText } from "./read-text.ts";

export interface Shape {
  readonly place: ShapePosition | undefined;
  /** What it holds the place of: "title", "body", "sldNum"; undefined for what is drawn freely. */
  readonly placeholder: string | undefined;
  readonly blocks: readonly Block[];
}

/** Where the placeholders of the slide's layout stand, by "title" or by number. */
type Placeholders = () => ReadonlyMap<string, ShapePosition>;

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
): ShapePosition | undefined {
  const { depth } = reader;
  let isChosen = false;
  let place: ShapePosition | undefined;
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
  let place: ShapePosition | undefined;
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

function readPlace(reader: XmlReader): ShapePosition | undefined {
  let place: ShapePosition | undefined;
  const { depth } = reader;
  while (reader.child(depth)) if (reader.is("a:xfrm")) place = readFrame(reader);
  return place;
}

function readFrame(reader: XmlReader): ShapePosition {
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

export interface SlideShow {
  readonly opened: Package;
  /** Names of people who comment, by their numbers. */
  readonly authors: ReadonlyMap<string, string>;
  /** Where the placeholders of layouts stand, by the layout's part. */
  readonly layouts: Map<string, ReadonlyMap<string, ShapePosition>>;
  readonly tally: { pictures: number; embedded: number };
}

export interface Slide {
  readonly show: SlideShow;
  /** Of its part; read when they are first asked for. */
  readonly relations: () => Relations;
}

export function slideOf(show: SlideShow, part: string): Slide {
  let relations: Relations | undefined;
  return {
    show,
    relations: () => {
      relations ??= show.opened.relations(part);
      return relations;
    },
  };
}

/** Where the layout of a slide puts what does not say its place itself; looked up only then. */
export function placeholdersOf({ show, relations }: Slide): Placeholders {
  return () => {
    const layout = [...relations().values()].find(({ type }) => type === "slideLayout")?.target;
    if (layout === undefined) return new Map();
    const known = show.layouts.get(layout) ?? readLayout(show.opened, layout);
    show.layouts.set(layout, known);
    return known;
  };
}

/** What a layout does not place is placed by its master. */
function readLayout(opened: Package, layout: string): ReadonlyMap<string, ShapePosition> {
  const master = [...opened.relations(layout).values()].find(({ type }) => type === "slideMaster")?.target;
  return new Map([
    ...(master === undefined ? [] : readPlaces(opened, master)),
    ...readPlaces(opened, layout),
  ]);
}

function readPlaces(opened: Package, part: string): ReadonlyMap<string, ShapePosition> {
  const places = new Map<string, ShapePosition>();
  const reader = opened.open(part);
  if (reader?.child(0)) lookForPlaces(reader, places);
  return places;
}

function lookForPlaces(reader: XmlReader, places: Map<string, ShapePosition>): void {
  const { depth } = reader;
  let names: readonly string[] = [];
  while (reader.child(depth)) {
    if (reader.name === "p:nvSpPr") names = readNames(reader);
    else if (reader.name === "p:spPr") {
      const place = readPlace(reader);
      if (place) for (const name of names) places.set(name, place);
    } else if (/^p:(?:cSld|spTree|sp)$/.test(reader.name)) lookForPlaces(reader, places);
  }
}

function readNames(reader: XmlReader): readonly string[] {
  const names: string[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("p:nvPr")) continue;
    const inside = reader.depth;
    while (reader.child(inside)) {
      if (!reader.is("p:ph")) continue;
      names.push(reader.attribute("type") ?? "", reader.attribute("idx") ?? "");
    }
  }
  return names;
}
