import { closeSync, fstatSync } from "node:fs";
import type { Environment } from "../../../contract/environment.ts";
import type { BlobFolder, KeptBlob } from "../../../system/blobs/blob-folder.ts";
import { asToolError } from "../../../system/failures.ts";
import { readFully, refuseUnlessFile } from "./read-file.ts";

/**
 * How to open a file of an environment for reading, race-safe as all reading is. Known to the house and to no tool:
 * before-images are kept of files that no tool may read, too.
 */
export const openers: WeakMap<Environment, (path: string) => number> = new WeakMap();

/** Keeps what the file at `path` holds; undefined when the environment is not this machine. */
export async function copyOut(
  environment: Environment,
  path: string,
  blobs: BlobFolder,
  signal?: AbortSignal,
): Promise<KeptBlob | undefined> {
  const open = openers.get(environment);
  if (open === undefined) return undefined;
  let handle: number | undefined;
  try {
    handle = open(path);
    const stats = fstatSync(handle);
    refuseUnlessFile(stats, path);
    if (stats.size > smallBytes) return await blobs.keepOpenFile(handle, signal);
    // One byte more than there should be: a file that has grown meanwhile is read to its end, patiently.
    const content = Buffer.allocUnsafe(stats.size + 1);
    const bytes = readFully(handle, content, 0);
    if (bytes > stats.size) return await blobs.keepOpenFile(handle, signal);
    return { hash: blobs.keep(content.subarray(0, bytes)), bytes, keptAt: Date.now() };
  } catch (error) {
    throw asToolError(error, path);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

// Quicker read and written than copied in the background.
const smallBytes = 1024 * 1024;
