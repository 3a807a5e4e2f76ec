import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Breath } from "../../text/breath.ts";
import { contentHash } from "../../text/content-hash.ts";
import { makePrivateDirectory } from "../directories.ts";
import { errnoOf } from "../failures.ts";
import { newHash, piecesOf, writeFully } from "../local/changes/content.ts";
import { newTemporaryId } from "../local/files/temporary-file.ts";

/** A content that is kept. */
export interface KeptBlob {
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
  /** When it was last kept, in milliseconds since 1970. */
  readonly keptAt: number;
}

/**
 * Contents in files named after their hash, `ab/cdef…`, for nobody else to read. Nothing is synced: a process may be
 * killed at any moment and every blob is whole, but after a loss of power one may not be. Throws the system's errors.
 */
export class BlobFolder {
  readonly #folder: string;
  #canShareBlocks = true;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(hash: string): boolean {
    return this.#find(hash) !== undefined;
  }

  keep(content: Uint8Array): string {
    const hash = contentHash(content);
    if (this.#isKeptAgain(hash, content.length)) return hash;
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

  /** Keeps what an open file holds; shares its blocks where the file system can. */
  async keepOpenFile(handle: number, signal?: AbortSignal): Promise<KeptBlob> {
    const shared = this.#shareBlocks(handle);
    if (shared === undefined) return this.keepPieces(piecesOf(handle), signal);
    const copy = openSync(shared, "r");
    try {
      return await this.#keepFilled(shared, piecesOf(copy), signal, () => {});
    } finally {
      closeSync(copy);
    }
  }

  /** Keeps a content of any size that comes in pieces. */
  async keepPieces(pieces: Pieces, signal?: AbortSignal): Promise<KeptBlob> {
    const temporary = this.#newTemporary();
    const handle = openNew(temporary);
    try {
      return await this.#keepFilled(temporary, pieces, signal, (piece) => writeFully(handle, piece));
    } finally {
      closeSync(handle);
    }
  }

  /** Undefined when it is not there. Hold it to its hash. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    try {
      return isHash(hash) ? await readFile(this.#pathOf(hash)) : undefined;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** What is kept, in no order. */
  *list(): Generator<KeptBlob> {
    for (const folder of namesIn(this.#folder)) {
      for (const rest of namesIn(join(this.#folder, folder))) {
        const hash = folder + rest;
        const stats = this.#find(hash);
        if (stats !== undefined) yield { hash, bytes: stats.size, keptAt: stats.mtimeMs };
      }
    }
  }

  remove(hash: string): void {
    if (isHash(hash)) unlinkQuietly(this.#pathOf(hash));
  }

  /** Removes what processes left that were killed while they kept something. */
  removeLeftovers(olderThan: number): void {
    for (const name of namesIn(this.#folder).filter((other) => other.startsWith(temporaryPrefix))) {
      const path = join(this.#folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && stats.mtimeMs < olderThan) unlinkQuietly(path);
    }
  }

  /** Whether nobody has collected here for so long; then it counts as done now. */
  isCollectionDue(everyMs: number): boolean {
    const stats = statSync(this.#marker, { throwIfNoEntry: false });
    if (stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < everyMs) return false;
    makePrivateDirectory(this.#folder);
    writeFileSync(this.#marker, "", { mode: 0o600 });
    return true;
  }

  /** It could not be done now. */
  postponeCollection(): void {
    unlinkQuietly(this.#marker);
  }

  async #keepFilled(
    temporary: string,
    pieces: Pieces,
    signal: AbortSignal | undefined,
    take: (piece: Uint8Array) => void,
  ): Promise<KeptBlob> {
    try {
      const breath = new Breath(signal);
      const hashing = newHash();
      for await (const piece of pieces) {
        hashing.update(piece);
        take(piece);
        if (breath.isDue) await breath.take();
      }
      const hash = hashing.digest("hex");
      const { size, mtimeMs } = statSync(temporary);
      if (this.#isKeptAgain(hash, size)) unlinkSync(temporary);
      else this.#giveName(temporary, hash);
      return { hash, bytes: size, keptAt: mtimeMs };
    } catch (error) {
      unlinkQuietly(temporary);
      throw error;
    }
  }

  /** The path of a copy that takes no space, or undefined where that cannot be had. */
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

  /**
   * Whoever keeps it again wants it for as long as if it were new. One that a loss of power has left short is none: it
   * is replaced.
   */
  #isKeptAgain(hash: string, bytes: number): boolean {
    if (this.#find(hash)?.size !== bytes) return false;
    try {
      const now = Date.now() / 1000;
      utimesSync(this.#pathOf(hash), now, now);
      return true;
    } catch (error) {
      // Somebody collects it at this moment.
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    }
  }

  #giveName(temporary: string, hash: string): void {
    const path = this.#pathOf(hash);
    try {
      renameSync(temporary, path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      makePrivateDirectory(dirname(path));
      renameSync(temporary, path);
    }
  }

  #find(hash: string): Stats | undefined {
    return isHash(hash) ? statSync(this.#pathOf(hash), { throwIfNoEntry: false }) : undefined;
  }

  get #marker(): string {
    return join(this.#folder, "collected");
  }

  #pathOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }

  #newTemporary(): string {
    return join(this.#folder, temporaryPrefix + newTemporaryId());
  }
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

const temporaryPrefix = "new-";

/** Hashes come from a database that may be damaged: none leads to another folder. */
function isHash(hash: string): boolean {
  return /^[0-9a-f]{64}$/.test(hash);
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    makePrivateDirectory(dirname(path));
    return openSync(path, "wx", 0o600);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there, or the error that led here says more.
  }
}
