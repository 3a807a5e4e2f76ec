import type { DocumentSource } from "../../../contract/document.ts";
import { asBuffer } from "../../../lib/as-buffer.ts";
import { counted } from "../../../lib/counted.ts";
import type { Desk } from "../../reader.ts";
import type { ZipEntry } from "../../zip/directory.ts";
import { openZip, type Zip } from "../../zip/open-zip.ts";
import type { Archive, ArchiveEntry } from "./archive.ts";

/** ZIP, and what is one by another name: JAR, WHL, APK. */
export function zipArchive({ name, bytes }: DocumentSource, { budget }: Desk): Archive {
  const zip = openZip(bytes, name, budget);
  const isJar = zip.find("META-INF/MANIFEST.MF") !== undefined;
  return {
    description: isJar ? "Java archive" : "ZIP archive",
    entries: zip.entries.map((entry) => shown(entry, zip)),
    count: zip.count,
    notes: [...zip.notes, ...encryptedNote(zip)],
    read: (wanted) => {
      const entry = zip.entries.findLast((entry) => entry.name === wanted);
      return entry === undefined || entry.isDirectory ? undefined : zip.read(entry);
    },
  };
}

function shown(entry: ZipEntry, zip: Zip): ArchiveEntry {
  const { name, size, modified, isEncrypted } = entry;
  const isLink = (entry.unixMode & 0xf000) === 0xa000;
  const kind = entry.isDirectory ? "directory" : isLink ? "link" : "file";
  return { name, kind, size, modified, isEncrypted, linkTarget: isLink ? linkTarget(entry, zip) : undefined };
}

function linkTarget(entry: ZipEntry, zip: Zip): string | undefined {
  if (entry.isEncrypted || entry.size > 4096) return undefined;
  try {
    return asBuffer(zip.read(entry)).toString("utf8");
  } catch {
    return undefined;
  }
}

function encryptedNote({ entries }: Zip): readonly string[] {
  const count = entries.filter(({ isEncrypted }) => isEncrypted).length;
  return count === 0
    ? []
    : [`${counted(count, "entry is", "entries are")} encrypted; only names and sizes can be told`];
}
