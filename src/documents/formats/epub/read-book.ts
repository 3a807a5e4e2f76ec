import { damaged } from "../../damaged.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import { type Package, resolvePart } from "../office/open-package.ts";

/** What a book says of itself. */
export interface Book {
  readonly properties: Readonly<Record<string, string>>;
  /** Parts with its text, in the order in which one reads. */
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

/** The part that an address within the book means. */
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
