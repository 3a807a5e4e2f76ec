import {
  closeSync,
  fdatasync,
  fstatSync,
  futimesSync,
  readlinkSync,
  readSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { throwIfAborted } from "../../../lib/abort.ts";
import { Breath } from "../../../lib/breath.ts";
import { systemError } from "../../../system/failures.ts";
import { openIn } from "../../../system/pinning/open-in.ts";
import { TemporaryFile, temporaryName } from "../../../system/temporary-file.ts";
import type { Place } from "./place.ts";

/** Copies a file or link to another disk, then deletes it here. Until the copy is whole, the target stays as it was. */
export async function moveAcrossDisks(
  source: Place & { readonly stats: Stats },
  target: Place,
  ifExists: "replace" | "refuse",
  signal?: AbortSignal,
): Promise<void> {
  const { stats, directory, name } = source;
  if (stats.isFile()) await copyFile(source, target, ifExists, signal);
  else if (stats.isSymbolicLink()) copyLink(source, target, ifExists);
  else throw systemError("EXDEV", name);
  unlinkSync(directory.at(name));
}

async function copyFile(
  source: Place,
  target: Place,
  ifExists: "replace" | "refuse",
  signal: AbortSignal | undefined,
): Promise<void> {
  const from = openIn(source.directory, source.name);
  try {
    const stats = fstatSync(from);
    const copy = new TemporaryFile(target.directory, stats);
    try {
      await copyBytes(from, copy.handle, new Breath(signal));
      copy.finish();
      futimesSync(copy.handle, stats.atime, stats.mtime);
      await promisify(fdatasync)(copy.handle);
      throwIfAborted(signal);
      copy.giveName(target.name, ifExists);
    } finally {
      copy.discard();
    }
  } finally {
    closeSync(from);
  }
}

const pieceBytes = 1024 * 1024;

async function copyBytes(from: number, to: number, breath: Breath): Promise<void> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) {
    for (let written = 0; written < read; ) written += writeSync(to, piece, written, read - written);
    if (breath.isDue) await breath.take();
  }
}

function copyLink(source: Place, target: Place, ifExists: "replace" | "refuse"): void {
  const pointsTo = readlinkSync(source.directory.at(source.name));
  if (ifExists === "refuse") {
    // Fails when the name is taken.
    symlinkSync(pointsTo, target.directory.at(target.name));
    return;
  }
  const temporary = temporaryName();
  symlinkSync(pointsTo, target.directory.at(temporary));
  try {
    renameSync(target.directory.at(temporary), target.directory.at(target.name));
  } catch (error) {
    unlinkSync(target.directory.at(temporary));
    throw error;
  }
}
