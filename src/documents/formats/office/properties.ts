import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Package } from "./open-package.ts";

/** What Open XML files say of themselves. */
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

/** Names of elements, in the order worth telling. */
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

/** There whoever wrote last is the creator. */
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
