import type { DocumentContent, DocumentSource, DocumentWanted } from "../../../contract/document.ts";
import { ToolError } from "../../../contract/error.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { sniffMediaType, withArticle } from "../../../lib/bytes/media-type.ts";
import { counted, showSize } from "../../../lib/text/format-quantity.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { printableLine } from "../../../lib/text/printable.ts";
import { cutPart, noSuchPart, splitAnchor, wholeText } from "../../anchors.ts";
import { type DocumentReader, type ReadingContext, textOf } from "../../reader.ts";
import { leadsOutside, type ZipEntry } from "../../zip/directory.ts";
import { openZip, type Zip } from "../../zip/open-zip.ts";
import { packedArchive } from "./packed-archive.ts";
import { type Archive, type ArchiveEntry, tarArchive } from "./tar.ts";

/** Lists an archive, or shows the text of one entry. Archives in archives are not unpacked. */
export const readArchive: DocumentReader = async (source, wanted, context) => {
  const { anchor, from } = splitAnchor(wanted.part);
  const entryName = anchor?.replace(/^entry\s+/i, "");
  const archive = await openArchive(source, entryName, context);
  const { description, entries, count, notes } = archive;
  const content = {
    format: "archive",
    description,
    properties: properties(entries, count),
    consistsOf: { one: "entry", total: count },
    notes,
  };
  if (entryName === undefined)
    return {
      ...content,
      ...wholeText(listing(entries), wanted, source.name),
      notes: [...notes, ...listingNotes(archive)],
    };
  return { ...content, ...readEntry(archive, entryName, from, wanted, source.name) };
};

function openArchive(
  source: DocumentSource,
  wanted: string | undefined,
  context: ReadingContext,
): Archive | Promise<Archive> {
  switch (sniffMediaType(source.bytes.subarray(0, 8192))?.mediaType ?? "application/x-tar") {
    case "application/gzip":
      return packedArchive(source, "gzip", wanted, context);
    case "application/zstd":
      return packedArchive(source, "zstd", wanted, context);
    case "application/x-tar":
      return tarArchive("tar archive", source.bytes, wanted, context);
    default:
      return zipArchive(source, context);
  }
}

function properties(entries: readonly ArchiveEntry[], count: number): Readonly<Record<string, string>> {
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  return { unpacked: `${showSize(size)}${entries.length < count ? " at least" : ""}` };
}

function listing(entries: readonly ArchiveEntry[]): string {
  const width = entries.reduce((most, { size }) => Math.max(most, String(size).length), 0);
  return entries.map((entry) => line(entry, width)).join("\n");
}

function line({ name, kind, size, modified, linkTarget, isEncrypted }: ArchiveEntry, width: number): string {
  const target = linkTarget === undefined ? "" : ` -> ${shownName(linkTarget)}`;
  const marks = [
    kind === "other" ? " [not a file]" : "",
    isEncrypted ? " [encrypted]" : "",
    leadsOutside(name) ? " [unpacks outside the folder]" : "",
  ].join("");
  const slash = kind === "directory" && !name.endsWith("/") ? "/" : "";
  return `${String(size).padStart(width)}  ${modified ?? "-".padEnd(16)}  ${shownName(name)}${slash}${target}${marks}`;
}

/** No real system has longer paths. */
const mostName = 4096;

function shownName(name: string): string {
  return printableLine(name.length > mostName ? `${name.slice(0, mostName)}…` : name);
}

function listingNotes({ entries, count }: Archive): readonly string[] {
  const outside = entries.filter(({ name }) => leadsOutside(name)).length;
  return [
    ...(outside === 0
      ? []
      : [`${counted(outside, "entry unpacks", "entries unpack")} outside the target folder`]),
    ...(entries.length === count ? [] : [`only the first ${entries.length} of ${count} entries are listed`]),
    ...(entries.some(({ kind }) => kind === "file")
      ? ['`part` "entry NAME" shows the text of an entry']
      : []),
  ];
}

function readEntry(
  archive: Archive,
  wanted: string,
  from: number,
  { maxChars }: DocumentWanted,
  name: string,
): Pick<DocumentContent, "parts" | "next"> {
  const bytes = archive.read(wanted);
  if (bytes === undefined) {
    const files = archive.entries.filter(({ kind }) => kind === "file").map((entry) => entry.name);
    const near = nearest(wanted, files.slice(0, 2000)) ?? files[0];
    throw noSuchPart(wanted, name, `it has ${files.length} files`, near && `"entry ${near}"`);
  }
  const type = sniffMediaType(bytes);
  const text = textOf(bytes);
  if (text === undefined || type !== undefined)
    throw new ToolError(
      "unsupported",
      `${wanted} in ${name} is ${type === undefined ? "a binary file" : withArticle(type.description)}, ${showSize(bytes.length)}: only text entries can be shown`,
      {
        hint: "Unpack it with a command (shell.run), then read the file.",
        forUser: { hint: "Unpack the archive, then read the file." },
      },
    );
  const { part, next } = cutPart({ anchor: `entry ${wanted}`, text }, from, maxChars);
  return { parts: [part], next: next === undefined ? undefined : `entry ${wanted} from ${next}` };
}

/** Reads ZIP files, including JAR, WHL and APK. */
export function zipArchive({ name, bytes }: DocumentSource, { budget }: ReadingContext): Archive {
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
    : [`${counted(count, "entry is", "entries are")} encrypted: only names and sizes are known`];
}
