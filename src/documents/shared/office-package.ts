import type { DocumentSource } from "../../contract/document.ts";
import type { Budget } from "../budget.ts";
import { damaged, type ReadingContext } from "../reader.ts";
import { Scope } from "../xml/namespaces.ts";
import { XmlReader } from "../xml/xml-reader.ts";
import { openZip, type Zip } from "../zip/open-zip.ts";

/** A ZIP archive of XML parts, the container of all office formats. A reader starts at the root element of a part. */
export interface Package {
  readonly zip: Zip;
  readonly budget: Budget;
  /** Opens a part; undefined for one that is missing or empty. */
  open(part: string): XmlReader | undefined;
  need(part: string): XmlReader;
  /** Returns the relationships of an Open XML part by their ids. */
  relations(part: string): Relations;
}

export type Relations = ReadonlyMap<string, Relation>;

interface Relation {
  /** The last word of the relationship type: "slide", "hyperlink". */
  readonly type: string;
  /** The name of a part, or an external address. */
  readonly target: string;
  readonly isOutside: boolean;
}

export function openPackage({ bytes, name }: DocumentSource, { budget }: ReadingContext): Package {
  const zip = openZip(bytes, name, budget);
  const scope = new Scope();
  const open = (part: string) => {
    const xml = zip.text(part);
    const reader = xml === undefined ? undefined : new XmlReader(xml, `${part} in ${name}`, budget, scope);
    return reader?.child(0) ? reader : undefined;
  };
  return {
    zip,
    budget,
    open,
    need: (part) => {
      const reader = open(part);
      if (!reader) throw damaged(name, `${part} is missing`);
      return reader;
    },
    relations: (part) => {
      const slash = part.lastIndexOf("/") + 1;
      const reader = open(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
      return new Map(reader && readRelations(reader, part.slice(0, slash)));
    },
  };
}

/** Returns the main part of an Open XML file. Default: `usual`. */
export function mainPart(opened: Package, usual: string): string {
  const found = [...opened.relations("").values()].find(({ type }) => type === "officeDocument")?.target;
  return found !== undefined && opened.zip.find(found) ? found : usual;
}

function* readRelations(reader: XmlReader, folder: string): Generator<[string, Relation]> {
  for (const _ of reader.children()) {
    const target = reader.attribute("Target");
    if (target === undefined) continue;
    const type = reader.attribute("Type") ?? "";
    const isOutside = reader.attribute("TargetMode") === "External";
    yield [
      reader.attribute("Id") ?? "",
      {
        type: type.slice(type.lastIndexOf("/") + 1),
        target: isOutside ? target : resolvePart(folder, target),
        isOutside,
      },
    ];
  }
}

/** Resolves the name of a part against a folder of the archive. */
export function resolvePart(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}

export function packageProperties(opened: Package): Readonly<Record<string, string>> {
  const core = [...opened.relations("").values()].find(({ type }) => type === "core-properties")?.target;
  return readProperties(known, opened.open(core ?? "docProps/core.xml"), opened.open("docProps/app.xml"));
}

export function openDocumentProperties(opened: Package): Readonly<Record<string, string>> {
  const reader = opened.open("meta.xml");
  reader?.child(reader.depth);
  return readProperties(openDocumentNames, reader);
}

/** Reads the properties that the children of the readers' elements name, in the order of `names`. */
export function readProperties(
  names: ReadonlyMap<string, string>,
  ...readers: readonly (XmlReader | undefined)[]
): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const reader of readers)
    for (const name of reader?.children() ?? []) {
      const key = names.get(name);
      if (key === undefined) continue;
      const value = reader!.content().trim().replaceAll(/\s+/g, " ").slice(0, 500);
      const before = found.get(key);
      if (value === "" || value === "0" || (before?.length ?? 0) > 500) continue;
      found.set(key, before === undefined ? value : `${before}, ${value}`);
    }
  const keys = new Set(names.values());
  return Object.fromEntries([...keys].flatMap((key) => (found.has(key) ? [[key, found.get(key)!]] : [])));
}

const known: ReadonlyMap<string, string> = new Map([
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["meta:initial-creator", "author"],
  ["cp:lastModifiedBy", "last modified by"],
  ["dc:subject", "subject"],
  ["dc:description", "description"],
  ["cp:keywords", "keywords"],
  ["meta:keyword", "keywords"],
  ["cp:category", "category"],
  ["app:Company", "company"],
  ["dcterms:created", "created"],
  ["meta:creation-date", "created"],
  ["dcterms:modified", "modified"],
  ["dc:date", "modified"],
  ["dc:language", "language"],
  ["app:Application", "software"],
  ["meta:generator", "software"],
]);

/** OpenDocument uses "creator" for the last author. */
const openDocumentNames: ReadonlyMap<string, string> = new Map([
  ...known,
  ["dc:creator", "last modified by"],
]);
