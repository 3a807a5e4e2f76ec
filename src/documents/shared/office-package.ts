import type { DocumentSource } from "../../contract/document.ts";
import type { Budget } from "../budget.ts";
import { damaged, type ReadingContext } from "../reader.ts";
import { decodeXml } from "../xml/decode.ts";
import { outerScope } from "../xml/names.ts";
import { XmlReader } from "../xml/xml-reader.ts";
import { openZip, type Zip } from "../zip/open-zip.ts";

/** A ZIP archive of XML parts, as all office formats are. */
export interface Package {
  readonly zip: Zip;
  readonly budget: Budget;
  /** A part that must be there. */
  need(part: string): XmlReader;
  open(part: string): XmlReader | undefined;
  /** What a part of Open XML refers to, by the name it uses for it; empty for a part that refers to nothing. */
  relations(part: string): Relations;
}

export type Relations = ReadonlyMap<string, Relation>;

interface Relation {
  /** The last word of its type: "slide", "hyperlink". */
  readonly type: string;
  /** The name of a part, or an address outside. */
  readonly target: string;
  readonly isOutside: boolean;
}

export function openPackage({ bytes, name }: DocumentSource, { budget }: ReadingContext): Package {
  const zip = openZip(bytes, name, budget);
  const scope = outerScope();
  const open = (part: string) => {
    const entry = zip.find(part);
    return entry && new XmlReader(decodeXml(zip.read(entry)), `${part} in ${name}`, budget, scope);
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
      return reader ? readRelations(reader, part.slice(0, slash)) : new Map();
    },
  };
}

/** The part that an Open XML file is about; `usual` where it does not say. */
export function mainPart(opened: Package, usual: string): string {
  const found = [...opened.relations("").values()].find(({ type }) => type === "officeDocument")?.target;
  return found !== undefined && opened.zip.find(found) ? found : usual;
}

function readRelations(reader: XmlReader, folder: string): Relations {
  const relations = new Map<string, Relation>();
  reader.child(0);
  const { depth } = reader;
  while (reader.child(depth)) {
    const id = reader.attribute("Id");
    const target = reader.attribute("Target");
    if (reader.name !== "rel:Relationship" || id === undefined || target === undefined) continue;
    const type = reader.attribute("Type") ?? "";
    const isOutside = reader.attribute("TargetMode") === "External";
    relations.set(id, {
      type: type.slice(type.lastIndexOf("/") + 1),
      target: isOutside ? target : resolvePart(folder, target),
      isOutside,
    });
  }
  return relations;
}

/** Names of parts, as relative as paths; none leads out of the archive, because nothing is outside of it. */
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
  return inOrder({
    ...readProperties(opened.open(core ?? "docProps/core.xml")),
    ...readProperties(opened.open("docProps/app.xml")),
  });
}

/** What OpenDocument files say of themselves, in meta.xml. */
export function openDocumentProperties(opened: Package): Readonly<Record<string, string>> {
  const reader = opened.open("meta.xml");
  if (!reader?.child(0)) return {};
  const found: Record<string, string> = {};
  const { depth } = reader;
  while (reader.child(depth))
    if (reader.name === "office:meta") Object.assign(found, readChildren(reader, openDocumentNames));
  return inOrder(found);
}

function readProperties(reader: XmlReader | undefined): Record<string, string> {
  return reader?.child(0) ? readChildren(reader, known) : {};
}

function readChildren(reader: XmlReader, names: ReadonlyMap<string, string>): Record<string, string> {
  const found: Record<string, string> = {};
  const { depth } = reader;
  while (reader.child(depth)) {
    const key = names.get(reader.name);
    if (key === undefined) continue;
    const value = reader.content().trim().replaceAll(/\s+/g, " ").slice(0, 500);
    if (value !== "" && value !== "0")
      found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  }
  return found;
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

/** OpenDocument calls the last author the creator. */
const openDocumentNames: ReadonlyMap<string, string> = new Map([
  ...known,
  ["dc:creator", "last modified by"],
]);

function inOrder(found: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const keys = new Set(known.values());
  return Object.fromEntries(
    [...keys].flatMap((key) => (found[key] === undefined ? [] : [[key, found[key]]])),
  );
}
