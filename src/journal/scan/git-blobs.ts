import { createHash } from "node:crypto";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Draft, FindingParts } from "./find-changes.ts";
import { type Holding, isHeldByGit, repositoryOf } from "./ledger.ts";
import type { Secured } from "./secure-contents.ts";

/** A file that its repository's index has a blob for. */
export interface IndexedFile {
  /** Relative to the directory that git is started in. */
  readonly path: string;
  readonly oid: string;
  readonly bytes: number;
}

/** The blobs of one repository, by git itself, with settings under which it starts nothing and fetches nothing. */
export class GitBlobs {
  readonly #environment: Environment;
  readonly #directory: string;

  /** `directory` is in the working tree, relative to the workspace. */
  constructor(environment: Environment, directory: string) {
    this.#environment = environment;
    this.#directory = directory;
  }

  /** Those among the files that are the bytes of their blob: it is there, as large, and nothing translates it. */
  async verify(files: readonly IndexedFile[], signal: AbortSignal): Promise<readonly IndexedFile[]> {
    const [sizes, translated] = await Promise.all([
      this.#sizes(files, signal),
      this.#translated(files, signal),
    ]);
    if (sizes === undefined || translated === undefined) return [];
    return files.filter(({ path, oid, bytes }) => sizes.get(oid) === bytes && !translated.has(path));
  }

  /** Hands out blobs one after the other; whatever is not there, or not what its name says, is left out. */
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

  async #sizes(files: readonly IndexedFile[], signal: AbortSignal): Promise<Map<string, number> | undefined> {
    const oids = new Set(files.map(({ oid }) => oid));
    const input = Buffer.from(Array.from(oids, (oid) => `${oid}\n`).join(""));
    const printed = await this.#run(["cat-file", "--batch-check", "--buffer"], input, signal);
    if (printed === undefined) return undefined;
    const lines = printed.split("\n").map((line) => line.split(" "));
    return new Map(lines.flatMap(([oid, type, size]) => (type === "blob" ? [[oid!, Number(size)]] : [])));
  }

  /** Line ends need not be asked for: to translate them changes the size. */
  async #translated(files: readonly IndexedFile[], signal: AbortSignal): Promise<Set<string> | undefined> {
    const input = Buffer.from(files.map(({ path }) => `${path}\0`).join(""));
    const printed = await this.#run(["check-attr", "-z", "--stdin", ...translating], input, signal);
    if (printed === undefined) return undefined;
    const fields = printed.split("\0");
    const translated = new Set<string>();
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const value = fields[at + 2];
      if (value !== "unspecified" && value !== "unset") translated.add(fields[at]!);
    }
    return translated;
  }

  /** What git prints; undefined when it is not there or fails. */
  async #run(args: readonly string[], input: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
    const process = await this.#start(args, input, signal);
    if (process === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    for await (const piece of process.stdout) pieces.push(piece);
    return (await process.exit).code === 0 ? Buffer.concat(pieces).toString() : undefined;
  }

  async #start(args: readonly string[], input: Uint8Array, signal: AbortSignal) {
    try {
      return await this.#environment.start("git", {
        args: [...settings, ...args],
        cwd: this.#directory || ".",
        env: variables,
        input,
        signal,
        confinement: "ours",
      });
    } catch (error) {
      if (error instanceof ToolError && error.code !== "cancelled") return undefined;
      throw error;
    }
  }
}

const newline = 0x0a;

/** What may make a file in the working tree something else than its blob, without changing its size. */
const translating = ["filter", "ident", "working-tree-encoding"];

const settings = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "protocol.allow=never",
].concat(["--no-pager", "--no-replace-objects"]);

/** A partial clone fetches what it lacks with whatever program its settings name; no protocol has the name "none". */
const variables = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** The name that git gives to a content. */
export function blobName(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Fetches what git holds of the contents that have changed. By the name that git gives them: their SHA-256. */
export async function fetchFromGit(
  drafts: readonly Draft[],
  { snapshot, holdings }: Secured,
  { environment, blobs }: FindingParts,
): Promise<ReadonlyMap<Holding, string>> {
  const known = new Map<Holding, string>();
  const wanted = new Map<string, Set<Holding>>();
  for (const { before, present: stands, path } of drafts) {
    const holding = before === undefined ? undefined : holdings[before];
    if (holding === undefined || !isHeldByGit(holding)) continue;
    if (stands.isAsHeld && stands.state.kind === "file") known.set(holding, stands.state.hash);
    const directory = repositoryOf(snapshot, path)?.path ?? "";
    wanted.set(directory, (wanted.get(directory) ?? new Set()).add(holding));
  }
  for (const [directory, oids] of wanted) {
    const missing = [...oids].filter((oid) => !known.has(oid));
    if (missing.length === 0) continue;
    const git = new GitBlobs(environment, directory);
    for await (const { oid, content } of git.read(missing, new AbortController().signal)) {
      // What finds no space is not held any more, and said to be so.
      const hash = await blobs.keep(content).catch(() => undefined);
      if (hash !== undefined) known.set(oid, hash);
    }
  }
  return known;
}

/** Reads what comes in pieces by lines and lengths. */
class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** What comes before the next such byte, which is passed over; undefined when it does not come. */
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

  /** The next so many bytes; undefined when there are fewer. */
  async take(length: number): Promise<Buffer | undefined> {
    if (!(await this.#more(length))) return undefined;
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Has at least so many bytes at hand; whether they came. */
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
