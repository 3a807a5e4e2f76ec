import type { Environment, ReadResult } from "../../../contract/environment.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { readMany } from "../../../lib/files-reader.ts";
import type { Channel } from "../../../workers/channel.ts";
import type { IndexerCallbacks } from "../../worker/index-service.ts";
import type { LexicalRequest } from "./build-lexical.ts";
import type { BuildWorker } from "./build-service.ts";
import type { WordIndexRequest } from "./build-words.ts";
import { FilesByPath, type ListedFiles, WorkspaceLister } from "./list-workspace.ts";

/** Provides the files of a workspace to its index. */
export interface FileSource {
  /** Missing for files of another machine. */
  readonly environment?: Environment | undefined;
  /** Returns the same object as before when no file has changed since. */
  list(signal: AbortSignal): Promise<ListedFiles>;
  /** Adds the contents to a request, unless every process can read them by itself. */
  withContents(request: LexicalRequest, signal: AbortSignal): Promise<LexicalRequest>;
  /** Reads files, given in the order of their paths. */
  read(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadResult>>;
  close(): Promise<void>;
}

/** The files of this machine. */
export function filesHere(workspace: string): FileSource {
  const environment = openLocalEnvironment({ workspace });
  const lister = new WorkspaceLister(environment);
  return {
    environment,
    list: (signal) => lister.list(signal),
    withContents: async (request) => request,
    read: async (paths, signal) => {
      const wanted = { maxFileBytes: maxReadBytes, maxBytes: Number.POSITIVE_INFINITY, signal };
      const contents = await readMany(environment, paths, wanted);
      return new Map(paths.map((path, index) => [path, contents[index]!]));
    },
    close: () => environment.close(),
  };
}

const maxReadBytes = 16 * 1024 * 1024;

/**
 * The files of another machine. The parent process is connected to it. Each content crosses the connection once, up to a
 * limit: it is kept from the time its trigrams are indexed until its words are.
 */
export class FilesElsewhere implements FileSource {
  readonly #parent: Channel<IndexerCallbacks>;
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;
  #listed: ListedFiles | undefined;

  constructor(parent: Channel<IndexerCallbacks>) {
    this.#parent = parent;
  }

  async list(signal: AbortSignal): Promise<ListedFiles> {
    const isKnown = this.#listed !== undefined;
    const listed = await this.#parent.ask("list", { isKnown }, { signal });
    if (listed !== "same") this.#listed = new FilesByPath(listed);
    return this.#listed!;
  }

  async withContents(request: LexicalRequest, signal: AbortSignal): Promise<LexicalRequest> {
    const known = new Map(request.files.map(({ path, knownHash }) => [path, knownHash ?? ""]));
    const contents = await this.#read([...known.keys()], known, signal);
    for (const [path, content] of contents) this.#keep(path, content);
    return { ...request, contents };
  }

  read(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ReadResult>> {
    return this.#read(paths, undefined, signal);
  }

  /** Returns the worker with the contents for its requests. */
  serving(worker: BuildWorker): BuildWorker {
    return {
      lexical: async (request, signal) => worker.lexical(await this.withContents(request, signal), signal),
      words: async (request, signal) => worker.words(await this.#withTexts(request, signal), signal),
      retire: () => worker.retire(),
      close: () => worker.close(),
    };
  }

  async close(): Promise<void> {
    this.#kept.clear();
  }

  async #withTexts(request: WordIndexRequest, signal: AbortSignal): Promise<WordIndexRequest> {
    const contents = new Map<string, ReadResult>();
    const missing: string[] = [];
    for (const { path } of request.files) {
      const content = this.#kept.get(path);
      if (content === undefined) missing.push(path);
      else contents.set(path, content);
      this.#forget(path);
    }
    for (const [path, content] of await this.#read(missing, undefined, signal)) contents.set(path, content);
    return { ...request, contents };
  }

  async #read(
    paths: readonly string[],
    known: ReadonlyMap<string, string> | undefined,
    signal: AbortSignal,
  ): Promise<Map<string, ReadResult>> {
    const contents = new Map<string, ReadResult>();
    for (let at = 0; at < paths.length; ) {
      const asked = paths.slice(at);
      const results = await this.#parent.ask("read", { paths: asked, known }, { signal }).catch(notRead);
      for (const [index, result] of results.entries()) contents.set(asked[index]!, result);
      at += results.length;
    }
    return contents;
  }

  #keep(path: string, content: ReadResult): void {
    this.#forget(path);
    if (typeof content === "string" || this.#keptBytes + content.length > mostKeptBytes) return;
    // The words of binary files are not indexed.
    if (content.includes(0)) return;
    this.#kept.set(path, content);
    this.#keptBytes += content.length;
  }

  #forget(path: string): void {
    this.#keptBytes -= this.#kept.get(path)?.length ?? 0;
    this.#kept.delete(path);
  }
}

const mostKeptBytes = 64 * 1024 * 1024;

/** Not a ToolError: those are blamed on the files of a request. */
function notRead({ message }: Error): never {
  throw new Error(`The files could not be read: ${message}`);
}
