import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Environment } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { type Entry, isSettled, type Repository, type Snapshot } from "../../../contract/snapshot.ts";
import { refuseBlockingFiles } from "../../../lib/blocking-files.ts";
import { blobName } from "../../../lib/bytes/blob-name.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { gitReadingOptions, gitReadingVariables } from "../../../lib/git-reading.ts";

type GitEnvironment = Pick<Environment, "start" | "workspace">;

/** Knows which contents git has, so that they need no copy. Asks git, with settings that keep it from starting programs. */
export class GitContents {
  readonly #environment: GitEnvironment;
  /** A hash of the staged content when an index had a state, by the path of the working tree. */
  readonly #staged = new Map<string, { readonly state: string; readonly staged: string }>();

  constructor(environment: GitEnvironment) {
    this.#environment = environment;
  }

  /**
   * Returns git's names for the files that have exactly the content of a blob: their stamps are those of the index, the
   * blob exists, has the same size, and no filter changes it.
   */
  async find(
    snapshot: Snapshot,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [repository, own] of Map.groupBy(paths, (path) => repositoryOf(snapshot, path))) {
      if (repository?.indexMs === undefined) continue;
      const indexed = await this.#indexed(repository, own, signal);
      const files = own.flatMap((path): GitFile[] => {
        const name = pathIn(repository, path);
        const file = indexed.get(name);
        const entry = snapshot.entries.get(path)!;
        if (file === undefined || !isUnchanged(file, entry, repository.indexMs!, snapshot)) return [];
        return [{ path, name, oid: file.oid, bytes: entry.size }];
      });
      for (const { path, oid } of await this.#verify(repository, files, signal)) found.set(path, oid);
    }
    return found;
  }

  /**
   * Returns git's names for the files in the current index, by their names in the working tree. Git never deletes such
   * blobs.
   */
  async inIndex(repository: Repository, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    if (repository.indexMs === undefined) return found;
    const staged = new StagedHash();
    const isRead = await this.#run(repository, listing, { signal }, "\0", (line) => {
      staged.add(line);
      const tab = line.indexOf("\t");
      const isFile = line.startsWith("100") && line[tab - 1] === "0";
      if (isFile) found.set(line.slice(tab + 1), line.slice("100644 ".length, tab - 2));
    });
    if (isRead === undefined) return new Map();
    this.#staged.set(repository.path, { state: repository.state.index, staged: staged.value });
    return found;
  }

  /** Returns what a commit would contain now, as a hash; undefined when it is not known. Git's cached file times do not count. */
  async staged(repository: Repository, signal: AbortSignal): Promise<string | undefined> {
    const { path, state } = repository;
    if (this.#staged.get(path)?.state !== state.index) await this.inIndex(repository, signal);
    const known = this.#staged.get(path);
    return known?.state === state.index ? known.staged : undefined;
  }

  /** Returns what the index knows about these files, by their names in the working tree. */
  async #indexed(
    repository: Repository,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedFile>> {
    const names = paths.map((path) => pathIn(repository, path));
    const wanted = new Set(names);
    const found = new Map<string, IndexedFile>();
    const isWhole = names.length > fewFiles;
    const which = isWhole ? [] : ["--", ...names.map((name) => `:(literal)${name}`)];
    const staged = new StagedHash();
    // After each path and its NUL byte come five lines with its stamps. A path may contain line ends.
    let line = "";
    const take = (part: string) => {
      const stamps = stampLines.exec(part);
      if (stamps !== null) {
        staged.add(line);
        addFile(line, stamps, wanted, found);
      }
      line = part.slice(stamps?.[0].length ?? 0);
    };
    const args = [...(isWhole ? listing : fewListed), "--debug", ...which];
    const count = await this.#run(repository, args, { signal }, "\0", take, take);
    if (count === undefined) return new Map();
    if (isWhole) this.#staged.set(repository.path, { state: repository.state.index, staged: staged.value });
    return found;
  }

  async #verify(
    repository: Repository,
    files: readonly GitFile[],
    signal: AbortSignal,
  ): Promise<readonly GitFile[]> {
    const verified: GitFile[] = [];
    for (let first = 0; first < files.length; first += filesAtOnce) {
      const some = files.slice(first, first + filesAtOnce);
      const [stored, translated] = await Promise.all([
        this.#stored(repository, some, signal),
        this.#translated(repository, some, signal),
      ]);
      if (stored === undefined || translated === undefined) continue;
      verified.push(...some.filter((_, index) => stored[index] === 1 && translated[index] === 0));
    }
    return verified;
  }

  /** Marks the files with blobs of their size. Git prints a line about each, in their order. */
  async #stored(repository: Repository, files: readonly GitFile[], signal: AbortSignal) {
    const input = Buffer.from(files.map(({ oid }) => `${oid}\n`).join(""));
    const marks = new Uint8Array(files.length);
    const args = ["cat-file", "--batch-check", "--buffer"];
    const lines = await this.#run(repository, args, { input, signal }, "\n", (line, index) => {
      const file = files[index];
      if (file !== undefined && line === `${file.oid} blob ${file.bytes}`) marks[index] = 1;
    });
    return lines === files.length ? marks : undefined;
  }

  /**
   * Marks the files that a filter changes. Line ends are not checked, because converting them changes the size. Git
   * prints the path, the name and the value of each attribute of each file, in their order.
   */
  async #translated(repository: Repository, files: readonly GitFile[], signal: AbortSignal) {
    const input = Buffer.from(files.map(({ name }) => `${name}\0`).join(""));
    const marks = new Uint8Array(files.length);
    const args = ["check-attr", "-z", "--stdin", ...translating];
    const fields = await this.#run(repository, args, { input, signal }, "\0", (value, index) => {
      if (index % 3 !== 2 || value === "unspecified" || value === "unset") return;
      marks[Math.floor(index / 3 / translating.length)] = 1;
    });
    return fields === files.length * translating.length * 3 ? marks : undefined;
  }

  /**
   * Passes on the output of git part by part, and returns the number of parts; undefined when git is missing or fails.
   * The whole output about many files would take much memory.
   */
  async #run(
    { path }: Repository,
    args: readonly string[],
    options: { readonly input?: Uint8Array; readonly signal: AbortSignal },
    separator: string,
    take: (part: string, index: number) => void,
    takeRest?: (rest: string) => void,
  ): Promise<number | undefined> {
    const process = await startGit(this.#environment, path, args, options);
    if (process === undefined) return undefined;
    let rest = "";
    let count = 0;
    const decoder = new TextDecoder();
    for await (const piece of process.stdout) {
      const parts = (rest + decoder.decode(asBuffer(piece), { stream: true })).split(separator);
      rest = parts.pop()!;
      for (const part of parts) {
        take(part, count);
        count += 1;
      }
    }
    takeRest?.(rest);
    const exit = await process.exit.catch(unlessCancelled);
    return exit?.code === 0 ? count : undefined;
  }
}

/** Reads blobs one by one. Skips missing blobs and those that do not match their name. */
export async function* readBlobs(
  environment: GitEnvironment,
  repository: string,
  oids: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly oid: string; readonly content: Buffer }> {
  const wanted = [...new Set(oids)];
  const input = Buffer.from(wanted.map((oid) => `${oid}\n`).join(""));
  const process = await startGit(environment, repository, ["cat-file", "--batch", "--buffer"], {
    input,
    signal,
  });
  if (process === undefined) return;
  const reader = new PieceReader(process.stdout);
  try {
    for (const oid of wanted) {
      const line = await reader.until(newline);
      if (line === undefined) return;
      const [, type, size] = line.toString().split(" ");
      if (size === undefined) continue;
      const content = await reader.take(Number(size) + 1);
      if (content === undefined) return;
      const blob = content.subarray(0, -1);
      if (type === "blob" && blobName(blob, oid) === oid) yield { oid, content: blob };
    }
  } finally {
    process.stop();
  }
}

/** Returns the innermost repository that contains a path. */
export function repositoryOf({ repositories }: Snapshot, path: string): Repository | undefined {
  let nearest: Repository | undefined;
  for (const repository of repositories) {
    const contains = repository.path === "" || path.startsWith(`${repository.path}/`);
    if (contains && repository.path.length >= (nearest?.path.length ?? 0)) nearest = repository;
  }
  return nearest;
}

/** A hash of the lines of an index. */
class StagedHash {
  readonly #hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(`${line}\0`);
  }

  get value(): string {
    return this.#hash.digest("hex");
  }
}

/** A file as git last saw it. */
interface IndexedFile {
  readonly oid: string;
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** The lower 32 bits, as of the size. */
  readonly inode: number;
  readonly bytes: number;
}

interface GitFile {
  readonly path: string;
  /** The path relative to the directory in which git runs. */
  readonly name: string;
  readonly oid: string;
  readonly bytes: number;
}

const fewListed = ["ls-files", "--stage", "-z"];

/** Lists the whole index, even where the workspace is only a part of the working tree. */
const listing = [...fewListed, ":/"];

/** So many names fit on a command line. */
const fewFiles = 200;

/** The files that are verified at once. The output of git about each takes about a kilobyte of memory. */
const filesAtOnce = 30_000;

const fileLine = /^100(?:644|755) ([0-9a-f]{40}|[0-9a-f]{64}) 0\t(.+)$/s;
const stampLines =
  /^ {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/;

/** Flags of files that git does not check: assumed to be unchanged, to be added, and outside a sparse checkout. */
const uncheckedFlags = 0x8000 + 2 ** 29 + 2 ** 30;

/** Adds a plain file without conflicts, if it is wanted. */
function addFile(
  line: string,
  stamps: RegExpExecArray,
  wanted: ReadonlySet<string>,
  found: Map<string, IndexedFile>,
): void {
  const [, oid, name] = fileLine.exec(line) ?? [];
  if (oid === undefined || name === undefined || !wanted.has(name)) return;
  if ((Number.parseInt(stamps[7]!, 16) & uncheckedFlags) !== 0) return;
  found.set(name, {
    oid,
    changedMs: timeOf(stamps[1]!, stamps[2]!),
    modifiedMs: timeOf(stamps[3]!, stamps[4]!),
    inode: Number(stamps[5]),
    bytes: Number(stamps[6]),
  });
}

/** Computes a time as Node computes file times, so that equal times give equal numbers. */
function timeOf(seconds: string, nanoseconds: string): number {
  return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6;
}

function isUnchanged(file: IndexedFile, entry: Entry, indexMs: number, { takenMs }: Snapshot): boolean {
  return (
    entry.mtimeMs === file.modifiedMs &&
    entry.ctimeMs === file.changedMs &&
    entry.size === file.bytes &&
    entry.ino % 2 ** 32 === file.inode &&
    // A file that changed when the index was written may have changed after git read it.
    file.modifiedMs < indexMs &&
    isSettled(entry, takenMs)
  );
}

/** Returns the path relative to the repository's directory in the workspace. */
export function pathIn(repository: Repository, path: string): string {
  return repository.path === "" ? path : path.slice(repository.path.length + 1);
}

/** Attributes that make a file differ from its blob without changing its size. */
const translating = ["filter", "ident", "working-tree-encoding"];

/** Starts git in a directory of the workspace; undefined when it is missing. */
async function startGit(
  environment: GitEnvironment,
  directory: string,
  args: readonly string[],
  { input, signal }: { readonly input?: Uint8Array; readonly signal: AbortSignal },
): Promise<ReturnType<typeof refuseBlockingFiles> | undefined> {
  const options = {
    cwd: directory || ".",
    env: gitReadingVariables,
    input,
    signal,
    confinement: "ours",
  } as const;
  const started = environment.start("git", { args: [...gitReadingOptions(), ...args], ...options });
  const process = await started.catch(unlessCancelled);
  const tree = posix.join(environment.workspace, directory);
  const places = { trees: [tree], directories: [posix.join(tree, ".git")] };
  return process && refuseBlockingFiles(process, places, { environment, signal });
}

function unlessCancelled(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
}

const newline = 0x0a;

/** Reads a stream by lines and lengths. */
class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Reads to the next such byte and skips it. Returns undefined when there is none. */
  async until(byte: number): Promise<Buffer | undefined> {
    let end = this.#rest.indexOf(byte);
    while (end < 0) {
      const from = this.#rest.length;
      if (!(await this.#more(from + 1))) return undefined;
      end = this.#rest.indexOf(byte, from);
    }
    const found = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return found;
  }

  /** Reads `length` bytes. Returns undefined when there are fewer. */
  async take(length: number): Promise<Buffer | undefined> {
    if (!(await this.#more(length))) return undefined;
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Buffers at least `length` bytes. Returns false when there are fewer. */
  async #more(length: number): Promise<boolean> {
    const pieces: Uint8Array[] = [this.#rest];
    let held = this.#rest.length;
    while (held < length) {
      const next = await this.#pieces.next();
      if (next.done) break;
      pieces.push(next.value);
      held += next.value.length;
    }
    if (pieces.length > 1) this.#rest = Buffer.concat(pieces, held);
    return held >= length;
  }
}
