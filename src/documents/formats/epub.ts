import type { DocumentPart } from "../../contract/document.ts";
import { ToolError } from "../../contract/error.ts";
import { gatherParts } from "../anchors.ts";
import { type DocumentReader, damaged } from "../reader.ts";
import { openPackage, type Package, readProperties, resolvePart } from "../shared/office-package.ts";
import type { XmlReader } from "../xml/xml-reader.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";

/** Reads e-books. Each text file is a chapter, in reading order. */
export const readEpub: DocumentReader = async (source, wanted, context) => {
  const opened = openPackage(source, context);
  const book = readBook(opened, source.name);
  const order = { one: "chapter", total: book.chapters.length };
  if (order.total === 0) throw damaged(source.name, "it has no chapters");
  refuseProtected(opened, book, source.name);
  const { titles, isDamaged } = readTitles(opened, book);
  const missing: number[] = [];
  const gathered = await gatherParts(wanted, { ...order, name: source.name }, (number) => {
    if (number % 20 === 0) context.progress(`chapter ${number} of ${order.total}`);
    const part = book.chapters[number - 1]!;
    const html = opened.zip.text(part);
    if (html === undefined) missing.push(number);
    const page = html === undefined ? undefined : htmlToMarkdown(html, { whole: true });
    const title = titles.get(part) ?? page?.title;
    return { anchor: `chapter ${number}`, title, text: page?.markdown ?? "" } satisfies DocumentPart;
  });
  return {
    format: "epub",
    description: "EPUB book",
    properties: book.properties,
    consistsOf: order,
    ...gathered,
    notes: [
      ...opened.zip.notes,
      ...(isDamaged ? ["the table of contents is damaged: titles of chapters may be missing"] : []),
      ...missing.map((number) => `chapter ${number} is missing in the file (${book.chapters[number - 1]})`),
    ],
  };
};

/** Refuses a book with encrypted chapters. Encrypted fonts do not matter. */
function refuseProtected(opened: Package, { chapters }: Book, name: string): void {
  const reader = opened.open("META-INF/encryption.xml");
  const known = new Set(chapters);
  for (const _ of reader?.children("enc:EncryptedData", "enc:CipherData") ?? [])
    if (known.has(partOf("", reader!.attribute("URI") ?? "")))
      throw new ToolError(
        "unsupported",
        `${name} is protected against copying (DRM): its text cannot be read`,
        {
          hint: "Use a copy of the book without DRM.",
        },
      );
}

export interface Book {
  readonly properties: Readonly<Record<string, string>>;
  readonly chapters: readonly string[];
  /** The part with the table of contents, of EPUB 2 or 3. */
  readonly contents: string | undefined;
}

export function readBook(opened: Package, name: string): Book {
  const container = opened.open("META-INF/container.xml");
  let part: string | undefined;
  for (const _ of container?.children("container:rootfiles") ?? [])
    part ??= container!.attribute("full-path");
  if (part === undefined) throw damaged(name, "it does not say where its contents are");
  const reader = opened.need(part);
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const items = new Map<string, string>();
  const chapters: string[] = [];
  let properties: Book["properties"] = {};
  let contents: string | undefined;
  for (const section of reader.children()) {
    if (section === "opf:metadata") properties = readProperties(known, reader);
    if (section !== "opf:manifest" && section !== "opf:spine") continue;
    for (const item of reader.children()) {
      if (item === "opf:item") {
        const target = partOf(folder, reader.attribute("href") ?? "");
        items.set(reader.attribute("id") ?? "", target);
        const isNavigation = /(?:^|\s)nav(?:\s|$)/.test(reader.attribute("properties") ?? "");
        const isNcx = reader.attribute("media-type") === "application/x-dtbncx+xml";
        if (isNavigation || (isNcx && contents === undefined)) contents = target;
      } else if (item === "opf:itemref") {
        const target = items.get(reader.attribute("idref") ?? "");
        if (target !== undefined) chapters.push(target);
      }
    }
  }
  return { properties, chapters, contents };
}

export function partOf(folder: string, href: string): string {
  const plain = href.replace(/#.*/s, "");
  try {
    return resolvePart(folder, decodeURIComponent(plain));
  } catch {
    return resolvePart(folder, plain);
  }
}

const known: ReadonlyMap<string, string> = new Map([
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["dc:contributor", "contributor"],
  ["dc:publisher", "publisher"],
  ["dc:date", "date"],
  ["dc:language", "language"],
  ["dc:subject", "subject"],
  ["dc:description", "description"],
  ["dc:identifier", "identifier"],
]);

export interface Titles {
  readonly titles: ReadonlyMap<string, string>;
  /** The table of contents is damaged. The book can be read without titles. */
  readonly isDamaged: boolean;
}

export function readTitles(opened: Package, { contents = "" }: Book): Titles {
  const titles = new Map<string, string>();
  const folder = contents.slice(0, contents.lastIndexOf("/") + 1);
  try {
    const reader = opened.open(contents);
    if (reader)
      collectTitles(reader, (href, title) => {
        const part = href === undefined ? "" : partOf(folder, href);
        const text = title.trim().replaceAll(/\s+/g, " ");
        if (part !== "" && text !== "" && !titles.has(part)) titles.set(part, text);
      });
    return { titles, isDamaged: false };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unsupported") throw error;
    return { titles, isDamaged: true };
  }
}

/** Collects the titles: EPUB 3 lists links, EPUB 2 lists points with a label and a target. */
function collectTitles(reader: XmlReader, add: (href: string | undefined, title: string) => void): void {
  let label = "";
  for (const name of reader.children()) {
    if (name === "html:a") add(reader.attribute("href"), reader.content());
    else if (name === "ncx:navLabel") label = reader.content();
    else if (name === "ncx:content") add(reader.attribute("src"), label);
    else collectTitles(reader, add);
  }
}
