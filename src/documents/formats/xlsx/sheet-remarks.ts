import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Package, Relations } from "../office/open-package.ts";
import { parseRange } from "../sheets/cell-address.ts";
import type { Remark, Remarks } from "../sheets/remarks.ts";

/** What a sheet says of its cells outside of them. */
export interface LinkedRemarks extends Remarks {
  /** Where cells lead, by column and row: "2,14". */
  readonly links: ReadonlyMap<string, string>;
}

/** From what follows the cells of a sheet; `after` stands in its root element. */
export function readRemarks(after: XmlReader, opened: Package, relations: Relations): LinkedRemarks {
  const links = new Map<string, string>();
  const merged: Remark[] = [];
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

function readComments(opened: Package, relations: Relations): readonly Remark[] {
  const part = [...relations.values()].find(({ type }) => type === "comments")?.target;
  const reader = part === undefined ? undefined : opened.open(part);
  if (!reader?.child(0)) return [];
  const authors: string[] = [];
  const comments: Remark[] = [];
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
