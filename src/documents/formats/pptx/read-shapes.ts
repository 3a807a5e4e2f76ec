import { append, type Block, cellText, picture } from "../../shared/blocks.ts";
import { readGraphic } from "../../shared/drawings.ts";
import type { Package, Relations } from "../../shared/office-package.ts";
import { inReadingOrder, type ShapePosition } from "../../shared/slides.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import { readText } from "./read-text.ts";

export interface Shape {
  readonly position: ShapePosition | undefined;
  /** The type of the placeholder: "title", "body", "sldNum". Undefined for other shapes. */
  readonly placeholder: string | undefined;
  readonly blocks: readonly Block[];
}

/** Positions of the placeholders of a layout, by type or by index. */
type Placeholders = () => ReadonlyMap<string, ShapePosition>;

/** Reads the shapes in the current element, in reading order. */
export function readShapes(reader: XmlReader, slide: Slide, placeholders: Placeholders): readonly Shape[] {
  const shapes: Shape[] = [];
  collect(reader, slide, placeholders, shapes);
  return inReadingOrder(shapes);
}

/** Adds the shapes in file order. Returns the position of a group. */
function collect(
  reader: XmlReader,
  slide: Slide,
  placeholders: Placeholders,
  shapes: Shape[],
): ShapePosition | undefined {
  let isChosen = false;
  let position: ShapePosition | undefined;
  for (const name of reader.children()) {
    switch (name) {
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
        position = readPosition(reader);
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
  return position;
}

/** Reads a group as one shape, because the shapes in it use other units. */
function readGroup(reader: XmlReader, slide: Slide, placeholders: Placeholders): Shape {
  const shapes: Shape[] = [];
  const position = collect(reader, slide, placeholders, shapes);
  const blocks: Block[] = [];
  for (const shape of inReadingOrder(shapes)) append(blocks, shape.blocks);
  return { position, placeholder: undefined, blocks };
}

interface Described {
  description?: string | undefined;
  placeholder?: string;
  index?: string | undefined;
}

function readShape(reader: XmlReader, slide: Slide, placeholders: Placeholders): Shape {
  const isPicture = reader.name === "p:pic";
  let described: Described = {};
  const blocks: Block[] = [];
  let position: ShapePosition | undefined;
  for (const name of reader.children()) {
    if (/^p:nv\w+Pr$/.test(name)) described = readDescribed(reader);
    else if (name === "p:spPr") position = readPosition(reader);
    else if (name === "p:xfrm") position = readFrame(reader);
    else if (name === "p:txBody") {
      const isList = ["body", "obj", ""].includes(described.placeholder ?? "title");
      append(blocks, readText(reader, slide.relations, { isList }));
    } else if (name === "a:graphic") append(blocks, readFrameContent(reader, slide));
  }
  const { description, placeholder, index } = described;
  if (isPicture) {
    slide.show.tally.pictures += 1;
    blocks.push({ kind: "paragraph", text: picture(description) });
  }
  if (position === undefined && placeholder !== undefined)
    position = placeholders().get(index ?? "") ?? placeholders().get(placeholder);
  return { position, placeholder, blocks };
}

function readDescribed(reader: XmlReader): Described {
  const found: Described = {};
  for (const name of reader.children()) {
    if (name === "p:cNvPr") found.description = reader.attribute("descr") || reader.attribute("title");
    else if (name === "p:nvPr")
      for (const property of reader.children()) {
        if (property !== "p:ph") continue;
        found.placeholder = reader.attribute("type") ?? "";
        found.index = reader.attribute("idx");
      }
  }
  return found;
}

function readFrameContent(reader: XmlReader, slide: Slide): Block[] {
  const blocks: Block[] = [];
  for (const name of reader.children()) {
    if (name === "a:tbl") blocks.push(readTable(reader, slide));
    else if (name === "p:oleObj") slide.show.tally.embedded += 1;
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
  for (const name of reader.children()) {
    if (name !== "a:tr") continue;
    const row: string[] = [];
    for (const cell of reader.children()) {
      if (cell !== "a:tc") continue;
      let text = "";
      for (const body of reader.children())
        if (body === "a:txBody") text = cellText(readText(reader, slide.relations, { isList: false }));
      row.push(text);
    }
    rows.push(row);
  }
  slide.show.opened.budget.walk(rows.length * rows.reduce((most, { length }) => Math.max(most, length), 0));
  return { kind: "table", rows };
}

function readPosition(reader: XmlReader): ShapePosition | undefined {
  let position: ShapePosition | undefined;
  for (const name of reader.children()) if (name === "a:xfrm") position = readFrame(reader);
  return position;
}

function readFrame(reader: XmlReader): ShapePosition {
  const position = { top: 0, left: 0, height: 0 };
  for (const name of reader.children()) {
    if (name === "a:off") {
      position.left = Number(reader.attribute("x")) || 0;
      position.top = Number(reader.attribute("y")) || 0;
    } else if (name === "a:ext") position.height = Number(reader.attribute("cy")) || 0;
  }
  return position;
}

export interface SlideShow {
  readonly opened: Package;
  /** Names of the authors of comments, by id. */
  readonly authors: ReadonlyMap<string, string>;
  /** Placeholder positions by layout part. */
  readonly layouts: Map<string, ReadonlyMap<string, ShapePosition>>;
  readonly tally: { pictures: number; embedded: number };
}

export interface Slide {
  readonly show: SlideShow;
  /** Read on first use. */
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

/** Returns a function for the positions that a slide's layout gives to placeholders. It reads them on first use. */
export function placeholdersOf({ show, relations }: Slide): Placeholders {
  return () => {
    const layout = [...relations().values()].find(({ type }) => type === "slideLayout")?.target;
    if (layout === undefined) return new Map();
    const known = show.layouts.get(layout) ?? readLayout(show.opened, layout);
    show.layouts.set(layout, known);
    return known;
  };
}

/** Reads the positions of a layout, and those of its master for other placeholders. */
function readLayout(opened: Package, layout: string): ReadonlyMap<string, ShapePosition> {
  const positions = new Map<string, ShapePosition>();
  const master = [...opened.relations(layout).values()].find(({ type }) => type === "slideMaster")?.target;
  for (const part of [master ?? "", layout]) {
    const reader = opened.open(part);
    for (const shape of reader?.children("p:cSld", "p:spTree") ?? [])
      if (shape === "p:sp") readPlaceholder(reader!, positions);
  }
  return positions;
}

function readPlaceholder(reader: XmlReader, positions: Map<string, ShapePosition>): void {
  let described: Described = {};
  for (const name of reader.children()) {
    if (name === "p:nvSpPr") described = readDescribed(reader);
    if (name !== "p:spPr" || described.placeholder === undefined) continue;
    const position = readPosition(reader);
    if (!position) continue;
    for (const key of [described.placeholder, described.index ?? ""]) positions.set(key, position);
  }
}
