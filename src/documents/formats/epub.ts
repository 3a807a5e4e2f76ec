import type { DocumentPart } from "../../contract/document.ts";
import { ToolError } from "../../contract/error.ts";
import { gatherParts } from "../anchors.ts";
import { type DocumentReader, damaged } from "../reader.ts";
import { openPackage, type Package, resolvePart } from "../shared/office-package.ts";
import { decodeXml } from "../xml/decode.ts";
import type { XmlReader } from "../xml/xml-reader.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";

/** Electronic books. A chapter is a file of its text, in the order in which one reads. */
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
    const entry = opened.zip.find(part);
    if (!entry) missing.push(number);
    const page = entry && htmlToMarkdown(decodeXml(opened.zip.read(entry)), { whole: true });
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
      ...(isDamaged ? ["its list of contents is damaged: titles of chapters may be missing"] : []),
      ...missing.map((number) => `chapter ${number} is missing in the file (${book.chapters[number - 1]})`),
    ],
  };
};

/** Scrambled fonts do not matter; scrambled chapters cannot be read. */
function refuseProtected(opened: Package, { chapters }: Book, name: string): void {
  const reader = opened.open("META-INF/encryption.xml");
  if (!reader?.child(0)) return;
  const scrambled = new Set<string>();
  const { depth } = reader;
  while (reader.child(depth)) {
    const inside = reader.depth;
    while (reader.child(inside)) {
      if (!reader.is("enc:CipherData")) continue;
      const data = reader.depth;
      while (reader.child(data)) scrambled.add(partOf("", reader.attribute("URI") ?? ""));
    }
  }
  if (!chapters.some((chapter) => scrambled.has(chapter))) return;
  throw new ToolError("unsupported", `${name} is protected against copying (DRM): its text cannot be read`, {
    hint: "Get the book without protection from whoever sells it.",
  });
}

export interface Book {
  readonly properties: Readonly<Record<string, string>>;
  readonly chapters: readonly string[];
  /** The part that lists its contents, of either generation. */
  readonly contents: string | undefined;
}

interface Item {
  readonly part: string;
  readonly mediaType: string;
  readonly isContents: boolean;
}

export function readBook(opened: Package, name: string): Book {
  const part = findPackage(opened.open("META-INF/container.xml"));
  if (part === undefined) throw damaged(name, "it does not say where its contents are");
  const reader = opened.need(part);
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const items = new Map<string, Item>();
  const chapters: string[] = [];
  let properties: Readonly<Record<string, string>> = {};
  let listed: string | undefined;
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    if (reader.name === "opf:metadata") properties = readMetadata(reader);
    else if (reader.name === "opf:manifest") readManifest(reader, folder, items);
    else if (reader.is("opf:spine")) {
      listed = reader.attribute("toc");
      const spine = reader.depth;
      while (reader.child(spine)) {
        const item = items.get(reader.attribute("idref") ?? "");
        if (item) chapters.push(item.part);
      }
    }
  }
  const all = [...items.values()];
  const contents =
    all.find(({ isContents }) => isContents) ??
    items.get(listed ?? "") ??
    all.find(({ mediaType }) => mediaType === "application/x-dtbncx+xml");
  return { properties, chapters, contents: contents?.part };
}

function findPackage(reader: XmlReader | undefined): string | undefined {
  let found: string | undefined;
  if (!reader?.child(0)) return found;
  const { depth } = reader;
  while (reader.child(depth)) {
    const inside = reader.depth;
    while (reader.child(inside)) found ??= reader.attribute("full-path");
  }
  return found;
}

function readManifest(reader: XmlReader, folder: string, items: Map<string, Item>): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    const id = reader.attribute("id");
    const href = reader.attribute("href");
    if (id === undefined || href === undefined) continue;
    items.set(id, {
      part: partOf(folder, href),
      mediaType: reader.attribute("media-type") ?? "",
      isContents: (reader.attribute("properties") ?? "").split(/\s+/).includes("nav"),
    });
  }
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

function readMetadata(reader: XmlReader): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  const { depth } = reader;
  while (reader.child(depth)) {
    const name = known.get(reader.name);
    if (name === undefined) continue;
    const value = reader.content().trim().replaceAll(/\s+/g, " ").slice(0, 500);
    const before = found.get(name);
    if (value !== "" && (before?.length ?? 0) < 500)
      found.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(
    [...known.values()].flatMap((name) => (found.has(name) ? [[name, found.get(name)!]] : [])),
  );
}

export interface Titles {
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
