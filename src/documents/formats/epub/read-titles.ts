import { ToolError } from "../../../contract/error.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Package } from "../office/open-package.ts";
import { type Book, partOf } from "./read-book.ts";

/** What the contents of a book call its chapters. */
export interface Titles {
  /** By their parts; the first title of each. */
  readonly titles: ReadonlyMap<string, string>;
  /** There may be more: the book can be read without them. */
  readonly isDamaged: boolean;
}

export function readTitles(opened: Package, book: Book): Titles {
  const titles = new Map<string, string>();
  try {
    collectTitles(opened, book, titles);
    return { titles, isDamaged: false };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unsupported") throw error;
    return { titles, isDamaged: true };
  }
}

function collectTitles(opened: Package, { contents }: Book, titles: Map<string, string>): void {
  const reader = contents === undefined ? undefined : opened.open(contents);
  if (contents === undefined || !reader?.child(0)) return;
  const folder = contents.slice(0, contents.lastIndexOf("/") + 1);
  const add = (href: string | undefined, title: string) => {
    const part = href === undefined ? "" : partOf(folder, href);
    const words = title.trim().replaceAll(/\s+/g, " ");
    if (part !== "" && words !== "" && !titles.has(part)) titles.set(part, words);
  };
  if (reader.name === "ncx:ncx") lookForPoints(reader, add);
  else lookForLinks(reader, add);
}

type Add = (href: string | undefined, title: string) => void;

/** Books of the third generation list links. */
function lookForLinks(reader: XmlReader, add: Add): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name !== "html:a") lookForLinks(reader, add);
    else add(reader.attribute("href"), reader.content());
  }
}

/** Those of the second have points with a label and a target. */
function lookForPoints(reader: XmlReader, add: Add): void {
  const { depth } = reader;
  let label = "";
  while (reader.child(depth)) {
    if (reader.name === "ncx:navLabel") label = reader.content();
    else if (reader.name === "ncx:content") add(reader.attribute("src"), label);
    else if (reader.name === "ncx:navMap" || reader.name === "ncx:navPoint") lookForPoints(reader, add);
  }
}
