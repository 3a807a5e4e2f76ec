import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Package, Relations } from "../office/open-package.ts";
import { parseRange, type Range } from "../sheets/cell-address.ts";

/** What a sheet says of its cells outside of them. */
export interface Remarks {
  /** Where cells lead, by column and row: "2,14". */
  readonly links: ReadonlyMap<string, string>;
  readonly merged: readonly Place[];
  readonly comments: readonly Place[];
}

export interface Place {
  readonly range: Range;
  readonly text: string;
}

/** From what follows the cells of a sheet; `after` stands in its root element. */
export function readRemarks(after: XmlReader, opened: Package, relations: Relations): Remarks {
  const links = new Map<string, string>();
  const merged: Place[] = [];
  after.child(0);
  const { depth } = after;
  while (after.child(depth)) {
    if (after.name !== "x:mergeCells" && after.name !== "x:hyperlinks") continue;
    const within = after.depth;
    while (after.child(within)) {
      const address = after.attribute("ref") ?? "";
      const range = parseRange(address);
      if (!range) continue;
      if (after.is("x:mergeCell")) merged.push({ range, text: address });
      const target = relations.get(after.attribute("r:id") ?? "")?.target;
      if (after.is("x:hyperlink") && target !== undefined)
        links.set(`${range.firstColumn},${range.firstRow}`, target);
    }
  }
  return { links, merged, comments: readComments(opened, relations) };
}

function readComments(opened: Package, relations: Relations): readonly Place[] {
  const part = [...relations.values()].find(({ type }) => type === "comments")?.target;
  const reader = part === undefined ? undefined : opened.open(part);
  if (!reader?.child(0)) return [];
  const authors: string[] = [];
  const comments: Place[] = [];
  const { depth } = reader;
  while (reader.child(depth)) {
    const list = reader.depth;
    while (reader.child(list)) {
      if (reader.is("x:author")) authors.push(reader.content().trim());
      if (reader.name !== "x:comment") continue;
      const address = reader.attribute("ref") ?? "";
      const range = parseRange(address);
      const author = authors[Number(reader.attribute("authorId") ?? "0")] ?? "";
      const text = textOf(reader).replaceAll(/\s+/g, " ").trim();
      const named = author === "" || text.startsWith(author) ? text : `${author}: ${text}`;
      if (range) comments.push({ range, text: `${address}: ${named}` });
    }
  }
  return comments;
}

/** Beside it may be where and how the comment is drawn. */
function textOf(reader: XmlReader): string {
  const { depth } = reader;
  let text = "";
  while (reader.child(depth)) if (reader.is("x:text")) text += reader.content();
  return text;
}

const most = 50;

/** Those that have to do with a range, as lines. */
export function showRemarks({ merged, comments }: Remarks, range: Range): readonly string[] {
  const inRange = (places: readonly Place[]) => {
    const found = places.filter((place) => overlap(place.range, range)).map(({ text }) => text);
    return found.length > most ? [...found.slice(0, most), `and ${found.length - most} more`] : found;
  };
  const cells = inRange(merged);
  const notes = inRange(comments);
  return [
    ...(cells.length > 0 ? [`Merged: ${cells.join(", ")}`] : []),
    ...(notes.length > 0 ? ["Comments:", ...notes.map((note) => `- ${note}`)] : []),
  ];
}

function overlap(one: Range, other: Range): boolean {
  return (
    one.firstRow <= other.lastRow &&
    one.lastRow >= other.firstRow &&
    one.firstColumn <= other.lastColumn &&
    one.lastColumn >= other.firstColumn
  );
}
