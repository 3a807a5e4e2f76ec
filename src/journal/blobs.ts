import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { copyOut } from "../environment/local/files/read-file.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { BlobFolder } from "../system/blob-store.ts";
import { asToolError } from "../system/file-errors.ts";

/**
 * Old contents of files, each stored once under its SHA-256 (lower-case hex). Store only for a call that has begun in
 * the journal, because contents are collected only while no call runs. Throws `unavailable` when the disk is full.
 */
export interface Blobs {
  keep(content: Uint8Array): Promise<string>;
  /** Stores the file at `path`, of any size. */
  keepFile(
    environment: Environment,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly hash: string; readonly bytes: number }>;
  has(hash: string): boolean;
  /** Throws `unavailable` when the content is missing or damaged. */
  read(hash: string): Promise<Uint8Array>;
}

/** Opens the blobs in a folder, which is created on first use. */
export function openBlobs(folder: string): Blobs {
  const blobs = new BlobFolder(folder);
  return {
    keep: async (content) => keeping(folder, () => blobs.keep(content)),
    keepFile: async (environment, path, signal) => {
      const copy = async () =>
        (await copyOut(environment, path, blobs, signal)) ??
        (await keepAgain(blobs, environment, path, signal)) ??
        (await blobs.keepPieces(piecesOf(environment, path), signal));
      const { hash, bytes } = await keeping(folder, copy);
      return { hash, bytes };
    },
    has: (hash) => blobs.has(hash),
    read: async (hash) => {
      const content = await blobs.read(hash);
      if (content === undefined) throw unreadable(hash, "no longer exists");
      if (contentHash(content) !== hash) throw unreadable(hash, "is damaged");
      return content;
    },
  };
}

/** Renews a content that is stored, without reading the file again. Returns undefined when it is not stored. */
async function keepAgain(
  blobs: BlobFolder,
  environment: Environment,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly hash: string; readonly bytes: number } | undefined> {
  // Only there does reading take longer than asking for the hash.
  if (environment.useContents === undefined) return undefined;
  const state = await environment.state(path, { signal });
  return state.kind === "file" && blobs.isKeptAgain(state.hash, state.bytes) ? state : undefined;
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
  return new ToolError("unavailable", `The stored content ${hash.slice(0, 12)}… ${fault}`, {
    hint: "Nothing was changed. Restore the file from another source, such as git.",
  });
}
