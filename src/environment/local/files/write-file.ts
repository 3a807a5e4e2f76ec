import { accessSync, constants, type Stats, writeSync } from "node:fs";
import type { WriteOptions, WriteReceipt } from "../../../contract/environment.ts";
import { Breath } from "../../breath.ts";
import { alreadyExists, isDirectory, isWorkspaceItself } from "../../failures.ts";
import type { Pinning } from "../pinning/pinning.ts";
import { fileInfo } from "./file-info.ts";
import { closingOnError, findPlace, makeParents, type Place } from "./place.ts";
import { type NamedPath, refuseUnlessFile } from "./read-file.ts";
import { giveName, makeTemporary, removeLeftovers } from "./temporary-file.ts";

/**
 * Writes beside the target and renames over it: a reader, a crash or a full disk meets the old content or the new.
 * The rename gives the name a new inode, so other hard links keep the old content, also those outside.
 * `tidied` are the directories where leftovers were looked for.
 */
export async function writeWhole(
  pinning: Pinning,
  path: NamedPath,
  content: Uint8Array,
  options: WriteOptions & { readonly tidied: Set<string> },
): Promise<WriteReceipt> {
  const ifExists = options.ifExists ?? "replace";
  const place = findPlace(pinning, path.absolute, { followLinks: true });
  closingOnError(place.directory, () => judge(place, path.given, ifExists));
  const parent = makeParents(place);
  const { directory } = parent;
  try {
    const { mode, durable = true } = options;
    const temporary = await makeTemporary(directory, { like: place.stats, mode, durable }, (handle) =>
      writeFully(handle, content),
    );
    giveName(directory, temporary.name, place.name, ifExists);
    directory.confirm();
    if (!options.tidied.has(directory.realPath)) {
      options.tidied.add(directory.realPath);
      removeLeftovers(directory);
    }
    return { created: place.stats === undefined, info: fileInfo(temporary.stats) };
  } catch (error) {
    parent.undo();
    throw error;
  } finally {
    parent.close();
  }
}

function judge(place: Place, givenPath: string, ifExists: "replace" | "refuse"): void {
  if (place.name === ".") throw isWorkspaceItself(givenPath);
  if (place.stats !== undefined) refuseUnlessFile(place.stats, givenPath);
  if (place.stats !== undefined && ifExists === "refuse") throw alreadyExists(givenPath);
  if (givenPath.endsWith("/")) throw isDirectory(givenPath);
  if (place.stats !== undefined) respectProtection(place, place.stats);
}

/** The rename would not care whether the old file may be written; its owner does. */
function respectProtection({ directory, name }: Place, { mode, uid }: Stats): void {
  const isMine = uid === process.getuid?.() && (mode & 0o200) !== 0;
  if (!isMine) accessSync(directory.at(name), constants.W_OK);
}

const pieceBytes = 4 * 1024 * 1024;

/** Writes everything, in one turn if it is not much. */
function writeFully(handle: number, content: Uint8Array): Promise<void> | undefined {
  let written = 0;
  if (content.length > pieceBytes) return writeInPieces(handle, content);
  while (written < content.length) written += writeSync(handle, content, written);
  return undefined;
}

async function writeInPieces(handle: number, content: Uint8Array): Promise<void> {
  const breath = new Breath();
  let written = 0;
  while (written < content.length) {
    written += writeSync(handle, content, written, Math.min(content.length - written, pieceBytes));
    await breath.take();
  }
}
