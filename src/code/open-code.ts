import type { CodeService, IndexWaiting, ProjectIndex, Reading } from "../contract/code.ts";
import type { Embedder } from "../contract/embeddings.ts";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ReadRules } from "../contract/guard.ts";
import { Semaphore, whileReading } from "../lib/async/semaphore.ts";
import { closed } from "../workers/channel.ts";
import { type Lease, Shared } from "../workers/shared.ts";
import { IndexWorker } from "./worker/index-worker.ts";
import { Reader } from "./worker/reader.ts";

export interface CodeOptions {
  readonly workspace: string;
  readonly directory: string;
  /** Returns the current rules. An index is shared only with users whose rules have the same key. */
  readonly reads: () => ReadRules;
  /** The environment of a workspace that is not on this machine. It has an index when many files can be read at once. */
  readonly elsewhere?: Environment | undefined;
  /** Makes vectors of the pieces of code, so that search also compares by meaning. Default: none are made. */
  readonly embedder?: Embedder | undefined;
}

export interface OpenCode extends CodeService {
  close(): Promise<void>;
}

/** Parses the texts it is sent. It reads no files, so all users of a workspace can share it. */
class SharedReader extends Reader {
  /** Each of the two workers parses one text at a time, and the users take turns. */
  readonly turns = new Semaphore(2);
}

const readers = new Shared<SharedReader>();
const indexers = new Shared<IndexWorker>();

/** Opens the code of a workspace. All who open the same workspace in this process share its workers. */
export function openCode(options: CodeOptions): OpenCode {
  const opened = new SharedCode(options);
  return {
    outline: (source, reading) =>
      opened.read(source.path, reading, (reader) => reader.outline(source, reading)),
    occurrences: (source, name, reading) =>
      opened.read(source.path, reading, (reader) => reader.occurrences(source, name, reading)),
    index: (waiting) => opened.index(waiting),
    close: () => opened.close(),
  };
}

class SharedCode {
  readonly #options: CodeOptions;
  readonly #indexers = new Map<string, Lease<IndexWorker>>();
  #reader: Lease<SharedReader> | undefined;
  #isClosed = false;

  constructor(options: CodeOptions) {
    this.#options = options;
  }

  async read<Answer>(
    about: string,
    { signal }: Reading,
    ask: (reader: Reader) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw closed();
    this.#reader ??= readers.take(this.#options.workspace, () => new SharedReader());
    const { part: reader } = this.#reader;
    const release = await reader.turns.take(signal, whileReading(about), this);
    try {
      return await ask(reader);
    } finally {
      release();
    }
  }

  async index(waiting: IndexWaiting): Promise<ProjectIndex> {
    if (this.#isClosed) throw closed();
    const { elsewhere } = this.#options;
    if (elsewhere === undefined || canBeIndexed(elsewhere)) return this.#indexer().index(waiting);
    throw new ToolError("unavailable", "The environment of this workspace has no index", {
      hint: "Search with search.grep, and list symbols file by file with code.symbols.",
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#reader, ...this.#indexers.values()].map((lease) => lease?.release()));
  }

  /** Indexers of former rules stay, because running calls may use them. Their processes end when they are idle. */
  #indexer(): IndexWorker {
    const { workspace, directory, reads, elsewhere, embedder } = this.#options;
    const rules = reads();
    const embedding = embedder && [embedder.model, embedder.address];
    const connection = elsewhere && connectionOf(elsewhere);
    const key = JSON.stringify([workspace, directory, rules.key, connection, embedding]);
    const lease =
      this.#indexers.get(key) ??
      indexers.take(key, () => new IndexWorker({ workspace, directory, reads: rules, elsewhere, embedder }));
    this.#indexers.set(key, lease);
    return lease.part;
  }
}

/** Whether the files can be listed and read without a round trip for each. */
export function canBeIndexed({ listEntries, walk, readFiles }: Environment): boolean {
  return [listEntries, walk, readFiles].every((method) => method !== undefined);
}

/** A worker uses the connection of its user, so only users of the same connection share it. */
function connectionOf(environment: Environment): number {
  const known = connections.get(environment) ?? ++lastConnection;
  connections.set(environment, known);
  return known;
}

const connections = new WeakMap<Environment, number>();
let lastConnection = 0;
