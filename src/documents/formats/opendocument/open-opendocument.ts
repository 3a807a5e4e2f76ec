import type { DocumentSource } from "../../../contract/document.ts";
import { encrypted } from "../../damaged.ts";
import type { Desk } from "../../reader.ts";
import { openPackage, type Package } from "../office/open-package.ts";

/** The archive of an OpenDocument file; one with a password is refused, because only its list of parts can be read. */
export function openOpenDocument(source: DocumentSource, desk: Desk): Package {
  const opened = openPackage(source, desk);
  const manifest = opened.open("META-INF/manifest.xml");
  if (manifest?.child(0) && manifest.mentions("encryption-data"))
    throw encrypted(source.name, "Save it without a password in the program that made it");
  return opened;
}
