import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  promises,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Breath } from "../../lib/breath.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { newHash, piecesOf, writeFully } from "../content.ts";
import { makePrivateDirectory } from "../directories.ts";
import { errnoOf } from "../failures.ts";
import { newTemporaryId } from "../temporary-file.ts";
import { findBlob, isHash, pathOfBlob, temporaryPrefix, unlinkQuietly } from "./blob-files.ts";

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
    return findBlob(this.#folder, hash) !== undefined;
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
    if (findBlob(this.#folder, hash)?.size !== bytes) return false;
    try {
      const now = Date.now() / 1000;
      utimesSync(pathOfBlob(this.#folder, hash), now, now);
      return true;
    } catch (error) {
      // Somebody collects it at this moment.
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
