import type { DocumentPart } from "../../contract/document.ts";
import { gatherParts } from "../anchors.ts";
import type { DocumentReader } from "../reader.ts";
import { append, type Block, cellText, notesOnTally } from "../shared/blocks.ts";
import { openDocumentProperties } from "../shared/office-package.ts";
import { type Line, openOpenDocument, openStory, type Story } from "../shared/opendocument/open.ts";
import { isShape, readComment, readShape } from "../shared/opendocument/read-text.ts";
import { noStyles, type OpenDocumentStyles, readStyles } from "../shared/opendocument/styles.ts";
import { inReadingOrder, type ShapePosition, showSlide } from "../shared/slides.ts";
import type { XmlReader } from "../xml/xml-reader.ts";

/** Reads OpenDocument presentations and drawings. Counts the pages first, then reads only the shown ones. */
export const readOdp: DocumentReader = async (source, wanted, context) => {
  const opened = openOpenDocument(source, context);
  const order = { one: "slide", total: 0 };
  for (const body of pagesOf(opened.need("content.xml"), noStyles())) {
    order.total += 1;
    if (body === "office:drawing") order.one = "page";
  }
  const { story, styles } = openStory(opened, context);
  const reader = opened.need("content.xml");
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
    notes: [
      ...opened.zip.notes,
      ...notesOnTally({ pictures: story.tally.pictures, embedded: story.tally.embedded }, { here: " here" }),
    ],
  };
};

/** Stops the reader at each page and yields the name of the body. Adds the automatic styles, which come first. */
function* pagesOf(reader: XmlReader, styles: OpenDocumentStyles): Generator<string, void, undefined> {
  for (const section of reader.children()) {
    if (section === "office:automatic-styles") readStyles(reader, styles);
    if (section !== "office:body") continue;
    for (const body of reader.children())
      for (const name of reader.children()) if (name === "draw:page") yield body;
  }
}

function readSlide(
  reader: XmlReader,
  story: Story,
  hidden: ReadonlySet<string>,
  anchor: string,
): DocumentPart {
  const isHidden = hidden.has(reader.attribute("draw:style-name") ?? "");
  const { shapes, notes, comments } = readShapes(reader, story);
  const isTitle = ({ kind }: Shape) => kind === "title";
  const isOther = (shape: Shape) => !isTitle(shape) && shape.kind !== "page-number";
  const speakerNotes: readonly Block[] =
    notes === "" ? [] : [{ kind: "paragraph", text: `Speaker notes: ${notes}` }];
  return showSlide(anchor, {
    titles: shapes.filter(isTitle).map(({ blocks }) => blocks),
    others: shapes.filter(isOther).map(({ blocks }) => blocks),
    remarks: [speakerNotes, comments, story.cited.splice(0)],
    isHidden,
  });
}

interface Shape {
  readonly position: ShapePosition | undefined;
  /** The role of the shape: "title", "outline", "notes", "page-number". */
  readonly kind: string | undefined;
  readonly blocks: readonly Block[];
}

interface Page {
  readonly shapes: readonly Shape[];
  readonly notes: string;
  readonly comments: readonly Block[];
}

function readShapes(reader: XmlReader, story: Story): Page {
  const shapes: Shape[] = [];
  const comments: Block[] = [];
  let notes = "";
  for (const name of reader.children()) {
    if (name === "presentation:notes") {
      const noted = readShapes(reader, story).shapes.filter(({ kind }) => kind === "notes");
      notes = noted
        .map(({ blocks }) => cellText(blocks))
        .join("\n")
        .trim();
    } else if (name === "office:annotation")
      comments.push({ kind: "paragraph", text: readComment(reader, story) });
    else if (isShape(name)) shapes.push(readOne(reader, story));
  }
  return { shapes: inReadingOrder(shapes), notes, comments };
}

function readOne(reader: XmlReader, story: Story): Shape {
  const kind = reader.attribute("presentation:class");
  const position = positionOf(reader);
  if (reader.name === "draw:g") return readGroup(reader, story);
  const line: Line = { text: "", boxes: [] };
  readShape(reader, story, line);
  const text: Block[] = line.text.trim() === "" ? [] : [{ kind: "paragraph", text: line.text }];
  return { position, kind, blocks: [...text, ...line.boxes] };
}

/** Reads a group as one shape, with the position of its first shape. */
function readGroup(reader: XmlReader, story: Story): Shape {
  const { shapes } = readShapes(reader, story);
  const blocks: Block[] = [];
  for (const shape of shapes) append(blocks, shape.blocks);
  return { position: shapes.find(({ position }) => position)?.position, kind: undefined, blocks };
}

function positionOf(reader: XmlReader): ShapePosition | undefined {
  const top = length(reader.attribute("svg:y"));
  const left = length(reader.attribute("svg:x"));
  if (top === undefined || left === undefined) return undefined;
  return { top, left, height: length(reader.attribute("svg:height")) ?? 0 };
}

/** Converts a length to centimetres. */
function length(written: string | undefined): number | undefined {
  const [, number, unit = "cm"] = /^(-?[\d.]+)(\w*)$/.exec(written ?? "") ?? [];
  return number === undefined ? undefined : Number(number) * (units[unit] ?? 1);
}

const units: Readonly<Record<string, number>> = { mm: 0.1, in: 2.54, pt: 2.54 / 72, pc: 2.54 / 6 };
