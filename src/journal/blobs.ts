import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { copyOut } from "../environment/local/files/read-file.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { BlobFolder } from "../system/blob-store.ts";
import { asToolError } from "../system/file-errors.ts";

/**
 * Contents of files as they were, each kept once under its SHA-256 (lower-case hex). Keep only for a call that has begun
 * in the journal: while one runs nothing is collected. Throws `unavailable` when there is no space.
 */
export interface Blobs {
  keep(content: Uint8Array): Promise<string>;
  /** Keeps the file that `path` leads to, of any size. */
  keepFile(
    environment: Environment,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly hash: string; readonly bytes: number }>;
  has(hash: string): boolean;
  /** `unavailable` when it is gone or damaged: what is not what it was is never given out. */
  read(hash: string): Promise<Uint8Array>;
}

/** Blobs in a folder of their own, which is made when it is needed. */
export function openBlobs(folder: string): Blobs {
  const blobs = new BlobFolder(folder);
  return {
    keep: async (content) => keeping(folder, () => blobs.keep(content)),
    keepFile: async (environment, path, signal) => {
      const { hash, bytes } = await keeping(
        folder,
        async () =>
          (await copyOut(environment, path, blobs, signal)) ??
          (await blobs.keepPieces(piecesOf(environment, path), signal)),
      );
      return { hash, bytes };
    },
    has: (hash) => blobs.has(hash),
    read: async (hash) => {
      const content = await blobs.read(hash);
      if (content === undefined) throw unreadable(hash, "is no longer there");
      if (contentHash(content) !== hash) throw unreadable(hash, "is damaged");
      return content;
    },
  };
}

async function* piecesOf(environment: Environment, path: string): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const piece = await environment.readBytes(path, { offset, length: pieceBytes });
    yield piece;
    offset += piece.length;
    if (piece.length < pieceBytes) return;
  }
}

const pieceBytes = 1024 * 1024;

async function keeping<Result>(folder: string, act: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw asToolError(error, folder);
  }
}

function unreadable(hash: string, fault: string): ToolError {
  return new ToolError("unavailable", `The content kept as ${hash.slice(0, 12)}… ${fault}`, {
    hint: "Nothing was changed. What it was taken from can only be restored from elsewhere, git for example.",
  });
}
