import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { attempt } from "./attempt.ts";
import { newHash, piecesOf, writeFully } from "./content.ts";
import { makePrivateDirectory, namesIn } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";
import { newTemporaryId } from "./temporary-file.ts";

export interface StoredBlob {
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
  /** When it was last stored, in milliseconds since 1970. */
  readonly keptAt: number;
}

/**
 * Stores contents in private files named after their hash, `ab/cdef…`. Nothing is synced: a killed process leaves only
 * whole blobs, a power failure may leave incomplete ones. Throws system errors.
 */
export class BlobFolder {
  readonly #folder: string;
  #canShareBlocks = true;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(hash: string): boolean {
    return findBlob(this.#folder, hash) !== undefined;
  }

  keep(content: Uint8Array): string {
    const hash = contentHash(content);
    if (this.isKeptAgain(hash, content.length)) return hash;
    const temporary = this.#newTemporary();
    try {
      const handle = openNew(temporary);
      try {
        writeFully(handle, content);
      } finally {
        closeSync(handle);
      }
      this.#giveName(temporary, hash);
      return hash;
    } catch (error) {
      unlinkQuietly(temporary);
      throw error;
    }
  }

  /** Stores the content of an open file. Shares its blocks if the file system can. */
  async keepOpenFile(handle: number, signal?: AbortSignal): Promise<StoredBlob> {
    const shared = this.#shareBlocks(handle);
    if (shared === undefined) return this.keepPieces(piecesOf(handle), signal);
    const copy = openSync(shared, "r");
    try {
      return await this.#keepFilled(shared, piecesOf(copy), signal, () => {});
    } finally {
      closeSync(copy);
    }
  }

  async keepPieces(pieces: Pieces, signal?: AbortSignal): Promise<StoredBlob> {
    const temporary = this.#newTemporary();
    const handle = openNew(temporary);
    try {
      return await this.#keepFilled(temporary, pieces, signal, (piece) => writeFully(handle, piece));
    } finally {
      closeSync(handle);
    }
  }

  /** Returns undefined when the content does not exist. The caller checks the hash. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    try {
      return isHash(hash) ? await promises.readFile(pathOfBlob(this.#folder, hash)) : undefined;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async #keepFilled(
    temporary: string,
    pieces: Pieces,
    signal: AbortSignal | undefined,
    take: (piece: Uint8Array) => void,
  ): Promise<StoredBlob> {
    try {
      const timeSlice = new TimeSlice(signal);
      const hashing = newHash();
      for await (const piece of pieces) {
        hashing.update(piece);
        take(piece);
        if (timeSlice.isOver) await timeSlice.next();
      }
      const hash = hashing.digest("hex");
      const { size, mtimeMs } = statSync(temporary);
      if (this.isKeptAgain(hash, size)) unlinkSync(temporary);
      else this.#giveName(temporary, hash);
      return { hash, bytes: size, keptAt: mtimeMs };
    } catch (error) {
      unlinkQuietly(temporary);
      throw error;
    }
  }

  /** Returns the path of a copy that takes no space; undefined when the file system cannot make one. */
  #shareBlocks(handle: number): string | undefined {
    if (!this.#canShareBlocks || process.platform !== "linux") return undefined;
    const temporary = this.#newTemporary();
    try {
      copyFileSync(`/proc/self/fd/${handle}`, temporary, constants.COPYFILE_FICLONE_FORCE);
      chmodSync(temporary, 0o600);
      return temporary;
    } catch (error) {
      unlinkQuietly(temporary);
      if (errnoOf(error) === "ENOSPC") throw error;
      this.#canShareBlocks = false;
      return undefined;
    }
  }

  /** Renews the time of a stored content. Returns false when it is missing, or incomplete after a power failure. */
  isKeptAgain(hash: string, bytes: number): boolean {
    if (findBlob(this.#folder, hash)?.size !== bytes) return false;
    try {
      const now = Date.now() / 1000;
      utimesSync(pathOfBlob(this.#folder, hash), now, now);
      return true;
    } catch (error) {
      // Another process has just deleted the file.
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  #giveName(temporary: string, hash: string): void {
    const path = pathOfBlob(this.#folder, hash);
    try {
      renameSync(temporary, path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      makePrivateDirectory(dirname(path));
      renameSync(temporary, path);
    }
  }

  #newTemporary(): string {
    return join(this.#folder, temporaryPrefix + newTemporaryId());
  }
}

/** Yields all stored contents, in no particular order. */
export function* listBlobs(folder: string): Generator<StoredBlob> {
  for (const start of namesIn(folder)) {
    for (const rest of namesIn(join(folder, start))) {
      const stats = findBlob(folder, start + rest);
      if (stats !== undefined) yield { hash: start + rest, bytes: stats.size, keptAt: stats.mtimeMs };
    }
  }
}

export function removeBlob(folder: string, hash: string): void {
  if (isHash(hash)) unlinkQuietly(pathOfBlob(folder, hash));
}

/** Removes unfinished files of killed processes. */
export function removeLeftovers(folder: string, olderThan: number): void {
  for (const name of namesIn(folder).filter((other) => other.startsWith(temporaryPrefix))) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < olderThan) unlinkQuietly(join(folder, name));
  }
}

/**
 * Returns how many collections in a row were interrupted; undefined when the last one is not `everyMs` ago. Otherwise
 * records a collection now.
 */
export function claimCollection(folder: string, everyMs: number): number | undefined {
  const marker = markerIn(folder);
  const stats = statSync(marker, { throwIfNoEntry: false });
  if (stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < everyMs) return undefined;
  makePrivateDirectory(folder);
  const interrupted = Number(attempt(() => readFileSync(marker, "utf8"))) || 0;
  writeFileSync(marker, "", { mode: 0o600 });
  return interrupted;
}

/** Makes the next collection due at once. */
export function postponeCollection(folder: string, interrupted: number): void {
  attempt(() => {
    writeFileSync(markerIn(folder), `${interrupted}`, { mode: 0o600 });
    utimesSync(markerIn(folder), 1, 1);
  });
}

/** Checks a hash from a database that may be damaged: a damaged hash must not name a path in another folder. */
export function isHash(hash: string): boolean {
  return /^[0-9a-f]{64}$/.test(hash);
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    makePrivateDirectory(dirname(path));
    return openSync(path, "wx", 0o600);
  }
}

function pathOfBlob(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash.slice(2));
}

function findBlob(folder: string, hash: string): Stats | undefined {
  return isHash(hash) ? statSync(pathOfBlob(folder, hash), { throwIfNoEntry: false }) : undefined;
}

const temporaryPrefix = "new-";

/** Ignores failures: the error that made the removal necessary is more important. */
function unlinkQuietly(path: string): void {
  attempt(() => unlinkSync(path));
}

function markerIn(folder: string): string {
  return join(folder, "collected");
}
