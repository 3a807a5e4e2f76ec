import type {
  Environment,
  FileContent,
  FilesWanted,
  KnownContents,
  Reaching,
  ReadResult,
} from "../../contract/environment.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { badMessage } from "./message.ts";
import type { Result } from "./protocol.ts";
import type { CallTarget } from "./remote-process.ts";

/**
 * Reads files of the target. The target first names a longer content by its hash, and sends it only when this machine does
 * not have it. A content that this machine has is returned by its hash, so it is what the target has named.
 */
export class RemoteReads {
  /** Without it, every content is sent. */
  contents: KnownContents | undefined;
  readonly #call: CallTarget;
  readonly #check: (realPath: string, reached: Reaching["reached"]) => void;

  constructor(call: CallTarget, check: (realPath: string, reached: Reaching["reached"]) => void) {
    this.#call = call;
    this.#check = check;
  }

  async readFile(path: string, options: Parameters<Environment["readFile"]>[1]): Promise<FileContent> {
    const { maxBytes, signal, reached } = options;
    const ask = (hashAbove?: number) =>
      this.#call("readFile", { path, maxBytes, hashAbove }, { signal, maxBytes });
    const named = this.contents && (await ask(alwaysSentBytes));
    const known = named?.hash === undefined ? undefined : await this.#find(named.hash);
    const answer = named && (named.bytes ?? known) ? named : await ask();
    const bytes = answer.bytes ?? known;
    if (bytes === undefined) throw badMessage("bytes is not bytes");
    this.#check(answer.realPath, reached);
    checkLength(bytes, maxBytes);
    return { bytes, info: answer.info };
  }

  async readFiles(paths: readonly string[], wanted: FilesWanted): Promise<readonly ReadResult[]> {
    const asked = paths.slice(0, mostFilesAtOnce);
    const hashAbove = this.contents && Math.floor(alwaysSentBytes / Math.max(1, asked.length));
    const named = await this.#ask(asked, wanted, hashAbove);
    const results: (ReadResult | undefined)[] = [];
    /** The first file of each content that must be sent. */
    const missing = new Map<string, string>();
    for (const [index, result] of named.entries()) {
      const found = isHashed(result) ? await this.#find(result.hash) : result;
      if (isHashed(result) && found === undefined && !missing.has(result.hash))
        missing.set(result.hash, asked[index]!);
      results.push(found);
    }
    if (missing.size > 0) {
      const sent = await this.#send(missing, wanted);
      for (const [index, result] of named.entries())
        if (isHashed(result))
          results[index] ??= sent.paths.get(asked[index]!) ?? sent.hashes.get(result.hash);
    }
    // The caller asks again for what did not fit.
    const end = results.indexOf(undefined);
    const read = (end === -1 ? results : results.slice(0, end)) as ReadResult[];
    for (const result of read) if (typeof result !== "string") checkLength(result, wanted.maxFileBytes);
    return read;
  }

  /** Returns contents by path, and also by hash when the file still has the content that was named. */
  async #send(missing: ReadonlyMap<string, string>, wanted: FilesWanted) {
    const sent = { paths: new Map<string, ReadResult>(), hashes: new Map<string, ReadResult>() };
    const results = await this.#ask([...missing.values()], wanted);
    for (const [index, [hash, path]] of [...missing].slice(0, results.length).entries()) {
      const result = results[index]!;
      if (isHashed(result)) throw badMessage("a content is not sent");
      sent.paths.set(path, result);
      if (typeof result !== "string" && contentHash(result) === hash) sent.hashes.set(hash, result);
    }
    return sent;
  }

  async #ask(
    paths: readonly string[],
    { maxFileBytes, maxBytes, known, signal }: FilesWanted,
    hashAbove?: number,
  ): Promise<Result<"readFiles">> {
    const hashes = known && paths.map((path) => known.get(path) ?? "");
    const results = await this.#call(
      "readFiles",
      { paths, maxFileBytes, maxBytes, known: hashes, hashAbove },
      { signal, maxBytes: maxBytes + maxFileBytes + paths.length * answerBytes },
    );
    if (results.length > paths.length || (results.length === 0 && paths.length > 0))
      throw badMessage("a wrong number of files");
    for (const [index, result] of results.entries())
      if (result === "same" && !hashes?.[index])
        throw badMessage("a file is the same, but its hash was not sent");
    return results;
  }

  /** A content that cannot be read here is asked for. */
  async #find(hash: string): Promise<Uint8Array | undefined> {
    return this.contents?.has(hash) ? this.contents.read(hash).catch(undefinedUnlessExhausted) : undefined;
  }
}

function isHashed(result: Result<"readFiles">[number]): result is { readonly hash: string } {
  return typeof result === "object" && !(result instanceof Uint8Array);
}

function checkLength(bytes: Uint8Array, maxBytes: number): void {
  if (bytes.length > maxBytes) throw badMessage("a file is longer than was asked for");
}

/** One request sends so much without asking first, because a round trip takes longer. */
const alwaysSentBytes = 4096;
const mostFilesAtOnce = 10_000;
/** The size of a result without content. */
const answerBytes = 120;
