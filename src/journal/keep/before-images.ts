import { posix } from "node:path";
import type { Directory, Environment, FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { UndoLimits } from "../../contract/history.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { isStale } from "../../system/file-errors.ts";
import type { Blobs } from "../blobs.ts";

/** A file at the time when its content was stored. */
interface StoredFile extends StoredContent {
  readonly info: FileInfo;
}

interface StoredContent {
  /** The hash, or "" when the file was not read. */
  readonly hash: string;
  /** The reason why the content is not stored. */
  readonly lost?: string;
}

/** Stores the contents that one call replaces or removes, within a budget. */
export class BeforeImages {
  readonly limits: UndoLimits;
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  readonly #lost = new Map<string, string>();
  readonly #read = new BoundedCache<string, Uint8Array>({
    maxWeight: inMemoryBytes,
    weigh: ({ length }) => length,
  });
  #left: number;
  /** New contents have a separate budget, so that they never displace old ones. */
  #leftForNew: number;

  constructor(environment: Environment, blobs: Blobs, limits: UndoLimits) {
    this.#environment = environment;
    this.#blobs = blobs;
    this.limits = limits;
    this.#left = limits.maxBytes;
    this.#leftForNew = limits.maxBytes;
  }

  /** Files that could not be stored, with the reason: "data.bin (2.1 GB are more than is stored for one call)". */
  get lost(): readonly string[] {
    return Array.from(this.#lost, ([path, reason]) => `${path} (${reason})`);
  }

  has(hash: string): boolean {
    return this.#blobs.has(hash);
  }

  /** Remembers a content that the call has read, because most calls change what they read. */
  remember(path: string, content: Uint8Array): void {
    this.#read.set(path, content);
  }

  /** Stores the content with this hash if the call has read it from `path`. Otherwise returns undefined. */
  async keepRead(path: string, hash: string): Promise<StoredContent | undefined> {
    const content = this.#read.delete(path);
    return content && contentHash(content) === hash ? this.#keepContent(path, content) : undefined;
  }

  /** Stores the file at `path`. Returns undefined when it does not exist. */
  async keep(path: string, signal: AbortSignal | undefined): Promise<StoredFile | undefined> {
    try {
      const { bytes, info } = await this.#environment.readFile(path, { maxBytes: inMemoryBytes, signal });
      return { info, ...(await this.#keepContent(path, bytes)) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === "not-found") return undefined;
      if (error.code !== "too-large" && error.code !== "denied") throw error;
      const info = await this.#environment.info(path);
      if (error.code === "denied") return { info, ...this.lose(path, unreadable) };
      if (!this.#take(info.bytes)) return { info, ...this.lose(path, tooMuch(info.bytes)) };
      return { info, hash: (await this.#blobs.keepFile(this.#environment, path, signal)).hash };
    }
  }

  async #keepContent(path: string, bytes: Uint8Array): Promise<StoredContent> {
    if (this.#take(bytes.length)) return { hash: await this.#blobs.keep(bytes) };
    const hash = contentHash(bytes);
    return this.has(hash) ? { hash } : { ...this.lose(path, tooMuch(bytes.length)), hash };
  }

  /** Stores a small new content too, because later edits replace it and merges start from it. */
  async keepNew(bytes: Uint8Array): Promise<string | undefined> {
    if (bytes.length > maxNewBytes || bytes.length > this.#leftForNew) return undefined;
    this.#leftForNew -= bytes.length;
    return this.#blobs.keep(bytes);
  }

  lose(path: string, reason: string): Required<StoredContent> {
    const { workspace } = this.#environment;
    this.#lost.set(posix.relative(workspace, posix.resolve(workspace, path)), reason);
    return { hash: "", lost: reason };
  }

  #take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** The largest file that is read at once, and the limit of remembered ones. Larger files are copied piece by piece. */
const inMemoryBytes = 16 * 1024 * 1024;

const maxNewBytes = 256 * 1024;

export const unreadable = "no read permission";

export const specialFile = "it is a FIFO, device or socket";

export function tooMuch(bytes: number): string {
  return `${showSize(bytes)} are more than is stored for one call`;
}

export interface FoundEntry {
  readonly realPath: string;
  /** Undefined when the name is not valid UTF-8. */
  readonly info: FileInfo | undefined;
}

/** Returns a directory and its whole content, parents first, or the reason why it cannot be listed. */
export async function listEntries(
  environment: Pick<Environment, "openDirectory">,
  top: FoundEntry,
  options: { readonly maxEntries: number; readonly signal?: AbortSignal },
): Promise<readonly FoundEntry[] | string> {
  const timeSlice = new TimeSlice(options.signal);
  const found: FoundEntry[] = [top];
  const pending = [top.realPath];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const directory = await open(environment, parent);
    let infos: readonly (FileInfo | undefined)[] = [];
    try {
      const entries = await directory.entries();
      for (const [index, { name, kind }] of entries.entries()) {
        const realPath = `${parent}/${name}`;
        // Many at once, because each may be a round trip to another machine.
        if (index % infosAtOnce === 0) {
          const next = entries.slice(index, index + infosAtOnce);
          infos = await Promise.all(next.map((entry) => infoOf(directory, entry.name)));
        }
        const info = infos[index % infosAtOnce];
        if (kind === "directory" && info === undefined) return "a name in it is not valid UTF-8";
        if (kind === "directory") pending.push(realPath);
        found.push({ realPath, info });
        if (found.length > options.maxEntries)
          return `it contained more than ${options.maxEntries} files and directories`;
        if (timeSlice.isOver) await timeSlice.next();
      }
    } finally {
      directory.close();
    }
  }
  return found;
}

const infosAtOnce = 100;

/** Throws `stale` for a directory that was removed in the meantime. */
async function open(environment: Pick<Environment, "openDirectory">, path: string): Promise<Directory> {
  try {
    return await environment.openDirectory(path);
  } catch (error) {
    throw error instanceof ToolError && error.code === "not-found" ? isStale(path, "gone") : error;
  }
}

async function infoOf(directory: Directory, name: string): Promise<FileInfo | undefined> {
  try {
    return await directory.info(name);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  }
}
