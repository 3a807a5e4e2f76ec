import type {
  Directory,
  DirectoryEntry,
  Environment,
  WalkedPaths,
  WalkWanted,
} from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { TimeSlice } from "../lib/async/time-slice.ts";
import { isExhaustion } from "../lib/exhaustion.ts";
import { IgnoreChain } from "../lib/ignore/ignore-chain.ts";
import { isShown, nameOf, parentOf, type Visibility } from "./visible-paths.ts";

export interface WalkOptions extends Visibility {
  readonly signal: AbortSignal;
  /** Returns false for a directory to skip. Default: enters all. */
  enters?(path: string): boolean;
  /** Called for a directory that cannot be read; the walk continues. */
  failed?(path: string, error: ToolError): void;
}

/** A file that the walk yields. Its directory is open until the next file is requested. */
export interface WalkedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly name: string;
  readonly directory: Pick<Directory, "readFile">;
  /** An estimate of the files still to come. */
  readonly filesAhead: number;
}

/**
 * Yields the visible regular files below a directory, ordered by path. Skips links. `start` is relative to the workspace
 * and free of links, "" for the workspace itself; it is entered even if it is ignored.
 */
export async function* walkFiles(
  environment: Environment,
  start: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  if (environment.walk !== undefined) {
    yield* walkElsewhere(environment, start, options);
    return;
  }
  const timeSlice = new TimeSlice(options.signal);
  const open: Frame[] = [];
  const seen = new Census();
  const push = (frame: Frame) => {
    open.push(frame);
    seen.enter(frame.entries);
  };
  try {
    const first = await environment.openDirectory(start || ".");
    const firstChain = (entries: readonly DirectoryEntry[]) =>
      options.ignoreFiles ? IgnoreChain.startingIn(first, entries, environment) : undefined;
    push(await enter(first, firstChain, options));
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      const entry = frame.entries[frame.next];
      frame.next += 1;
      if (entry === undefined) {
        open.pop()?.directory.close();
      } else if (entry.kind === "file") {
        seen.pass("file");
        yield { path: entry.path, name: entry.name, directory: frame.directory, filesAhead: seen.filesAhead };
      } else {
        seen.pass("directory");
        const isEntered = options.enters?.(entry.path) ?? true;
        const entered = isEntered ? await enterChild(frame, entry, options) : undefined;
        if (entered !== undefined) push(entered);
      }
      if (timeSlice.isOver) await timeSlice.next();
    }
  } finally {
    for (const frame of open) frame.directory.close();
  }
}

/** Implements Environment.walk on an environment where a round trip per directory is fast. */
export async function walkWhole(
  environment: Environment,
  directory: string,
  wanted: WalkWanted,
): Promise<WalkedPaths> {
  const paths: string[] = [];
  const failed: { path: string; message: string }[] = [];
  const note = (path: string, { message }: ToolError) => void failed.push({ path, message });
  for await (const { path } of walkFiles(environment, directory, { ...wanted, failed: note }))
    paths.push(path);
  return { paths, failed };
}

/** Walks in one round trip. Files are read by their paths. */
async function* walkElsewhere(
  environment: Environment,
  start: string,
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  const { hidden, ignoreFiles, signal } = options;
  const { paths, failed } = await environment.walk!(start, { hidden, ignoreFiles, signal });
  for (const { path, message } of failed) options.failed?.(path, new ToolError("denied", message));
  const entered = new Map<string, boolean>();
  const enters = (directory: string): boolean => {
    if (directory === start || directory === "" || options.enters === undefined) return true;
    const known = entered.get(directory);
    if (known !== undefined) return known;
    const isEntered = enters(parentOf(directory)) && options.enters(directory);
    entered.set(directory, isEntered);
    return isEntered;
  };
  for (const [index, path] of paths.entries()) {
    const parent = parentOf(path);
    if (!enters(parent)) continue;
    const directory = { readFile: (_: string, maxBytes: number) => readSmall(environment, path, maxBytes) };
    yield { path, name: nameOf(path), directory, filesAhead: paths.length - index - 1 };
  }
}

async function readSmall(
  environment: Environment,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  try {
    return (await environment.readFile(path, { maxBytes })).bytes;
  } catch (error) {
    if (error instanceof ToolError && error.code === "too-large") return undefined;
    throw error;
  }
}

interface Frame {
  readonly directory: Directory;
  readonly chain: IgnoreChain | undefined;
  readonly entries: readonly Entry[];
  next: number;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "directory";
}

/** Estimates the number of files that a walk has not yet yielded. */
class Census {
  #enteredDirectories = 0;
  #foundFiles = 0;
  #waiting = { file: 0, directory: 0 };

  get filesAhead(): number {
    return this.#waiting.file + (this.#waiting.directory * this.#foundFiles) / this.#enteredDirectories;
  }

  enter(entries: readonly Entry[]): void {
    const files = entries.filter(({ kind }) => kind === "file").length;
    this.#enteredDirectories += 1;
    this.#foundFiles += files;
    this.#waiting.file += files;
    this.#waiting.directory += entries.length - files;
  }

  pass(kind: Entry["kind"]): void {
    this.#waiting[kind] -= 1;
  }
}

/** `chainIn` returns the ignore rules for the directory, given its entries. */
async function enter(
  directory: Directory,
  chainIn: (entries: readonly DirectoryEntry[]) => IgnoreChain | undefined | Promise<IgnoreChain | undefined>,
  options: WalkOptions,
): Promise<Frame> {
  try {
    const all = await directory.entries();
    const chain = await chainIn(all);
    const prefix = directory.path === "" ? "" : `${directory.path}/`;
    const entries: Entry[] = [];
    for (const { name, kind } of all) {
      if (kind !== "file" && kind !== "directory") continue;
      const entry = { path: prefix + name, name, kind };
      if (isShown(entry, chain, options)) entries.push(entry);
    }
    return { directory, chain, entries: entries.sort(byPath), next: 0 };
  } catch (error) {
    directory.close();
    throw error;
  }
}

async function enterChild(frame: Frame, entry: Entry, options: WalkOptions): Promise<Frame | undefined> {
  try {
    const directory = await frame.directory.openDirectory(entry.name);
    return await enter(directory, (entries) => frame.chain?.in(directory, entries), options);
  } catch (error) {
    if (!(error instanceof ToolError) || isExhaustion(error)) throw error;
    // A directory that has just disappeared is skipped.
    if (error.code === "denied" || error.code === "unavailable") options.failed?.(entry.path, error);
    return undefined;
  }
}

/** Compares directories with a trailing slash, so that files are in the order of their paths. */
function byPath(one: Entry, other: Entry): number {
  const left = one.kind === "directory" ? `${one.name}/` : one.name;
  const right = other.kind === "directory" ? `${other.name}/` : other.name;
  return left < right ? -1 : left > right ? 1 : 0;
}
