import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { refuseBlockingFiles } from "../../lib/blocking-files.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import type { Draft, FindingParts } from "./find-changes.ts";
import { type Holding, isHeldByGit } from "./holdings.ts";
import { repositoryOf } from "./ledger.ts";
import type { Secured } from "./secure-contents.ts";

export interface IndexedFile {
  /** The path relative to git's working directory. */
  readonly path: string;
  readonly oid: string;
  readonly bytes: number;
}

/** The blobs of one repository, read by git with settings that keep it from starting programs or fetching. */
export class GitBlobs {
  readonly #environment: Environment;
  readonly #directory: string;

  /** `directory` is in the working tree, relative to the workspace. */
  constructor(environment: Environment, directory: string) {
    this.#environment = environment;
    this.#directory = directory;
  }

  /** Returns the files whose bytes equal their blob: the blob exists, has the same size, and no filter changes it. */
  async verify<File extends IndexedFile>(
    files: readonly File[],
    signal: AbortSignal,
  ): Promise<readonly File[]> {
    const [stored, translated] = await Promise.all([
      this.#stored(files, signal),
      this.#translated(files, signal),
    ]);
    if (stored === undefined || translated === undefined) return [];
    return files.filter((_, index) => stored[index] === 1 && translated[index] === 0);
  }

  /** Reads blobs one by one. Skips missing blobs and those that do not match their name. */
  async *read(oids: Iterable<string>, signal: AbortSignal): AsyncGenerator<{ oid: string; content: Buffer }> {
    const wanted = [...new Set(oids)];
    const input = Buffer.from(wanted.map((oid) => `${oid}\n`).join(""));
    const process = await this.#start(["cat-file", "--batch", "--buffer"], input, signal);
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
        if (type === "blob" && blobName(blob) === oid) yield { oid, content: blob };
      }
    } finally {
      process.stop();
    }
  }

  /** Marks the files with blobs of their size. Git prints a line about each, in their order. */
  async #stored(files: readonly IndexedFile[], signal: AbortSignal): Promise<Uint8Array | undefined> {
    const input = Buffer.from(files.map(({ oid }) => `${oid}\n`).join(""));
    const marks = new Uint8Array(files.length);
    const args = ["cat-file", "--batch-check", "--buffer"];
    const lines = await this.#run(args, input, "\n", signal, (line, index) => {
      const file = files[index];
      if (file !== undefined && line === `${file.oid} blob ${file.bytes}`) marks[index] = 1;
    });
    return lines === files.length ? marks : undefined;
  }

  /**
   * Marks the files that a filter changes. Line ends are not checked, because converting them changes the size. Git
   * prints the path, the name and the value of each attribute of each file, in their order.
   */
  async #translated(files: readonly IndexedFile[], signal: AbortSignal): Promise<Uint8Array | undefined> {
    const input = Buffer.from(files.map(({ path }) => `${path}\0`).join(""));
    const marks = new Uint8Array(files.length);
    const args = ["check-attr", "-z", "--stdin", ...translating];
    const fields = await this.#run(args, input, "\0", signal, (value, index) => {
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
    args: readonly string[],
    input: Uint8Array,
    separator: string,
    signal: AbortSignal,
    take: (part: string, index: number) => void,
  ): Promise<number | undefined> {
    const process = await this.#start(args, input, signal);
    if (process === undefined) return undefined;
    let rest = "";
    let count = 0;
    for await (const piece of process.stdout) {
      const parts = (rest + asBuffer(piece).toString("latin1")).split(separator);
      rest = parts.pop()!;
      for (const part of parts) {
        take(part, count);
        count += 1;
      }
    }
    const exit = await process.exit.catch(unlessCancelled);
    return exit?.code === 0 ? count : undefined;
  }

  async #start(args: readonly string[], input: Uint8Array, signal: AbortSignal) {
    const environment = this.#environment;
    const options = {
      cwd: this.#directory || ".",
      env: variables,
      input,
      signal,
      confinement: "ours",
    } as const;
    const started = environment.start("git", { args: [...settings, ...args], ...options });
    const process = await started.catch(unlessCancelled);
    const tree = posix.join(environment.workspace, this.#directory);
    return process && refuseBlockingFiles(process, { trees: [tree] }, { environment, signal });
  }
}

function unlessCancelled(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code === "cancelled") throw error;
}

const newline = 0x0a;

/** Attributes that make a file differ from its blob without changing its size. */
const translating = ["filter", "ident", "working-tree-encoding"];

const settings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"]
  .flatMap((setting) => ["-c", setting])
  .concat("--no-pager", "--no-replace-objects");

/**
 * The variables keep a partial clone from fetching missing blobs with a program that its settings name. "none" is not
 * the name of a protocol.
 */
const variables = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

export function blobName(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Stores the old contents of changed files that git has. Returns their SHA-256 by git's name. */
export async function fetchFromGit(
  drafts: readonly Draft[],
  { snapshot, holdings }: Secured,
  { environment, blobs }: FindingParts,
): Promise<ReadonlyMap<Holding, string>> {
  const known = new Map<Holding, string>();
  const wanted = new Map<string, Set<Holding>>();
  for (const { before, present, path } of drafts) {
    const holding = before === undefined ? undefined : holdings.get(before);
    if (holding === undefined || !isHeldByGit(holding)) continue;
    if (present.isAsHeld && present.state.kind === "file") known.set(holding, present.state.hash);
    const directory = repositoryOf(snapshot, path)?.path ?? "";
    wanted.set(directory, (wanted.get(directory) ?? new Set()).add(holding));
  }
  for (const [directory, oids] of wanted) {
    const missing = [...oids].filter((oid) => !known.has(oid));
    if (missing.length === 0) continue;
    const git = new GitBlobs(environment, directory);
    for await (const { oid, content } of git.read(missing, new AbortController().signal)) {
      // Without disk space the content is lost, and is reported as not covered.
      const hash = await blobs.keep(content).catch(undefinedUnlessExhausted);
      if (hash !== undefined) known.set(oid, hash);
    }
  }
  return known;
}

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
