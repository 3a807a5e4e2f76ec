import type {
  IndexAnswer,
  IndexQuery,
  IndexWaiting,
  ProjectIndex,
  Reading,
  VectorProblem,
  VectorState,
} from "../../contract/code.ts";
import type { Embedder } from "../../contract/embeddings.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ReadRules } from "../../contract/guard.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { redactText } from "../../policy/redaction/redact.ts";
import { type ListedFiles, WorkspaceLister } from "../index/build/list-workspace.ts";
import { CodeWorker } from "./code-worker.ts";
import type { IndexedWorkspace, IndexerCallbacks, IndexerService } from "./index-service.ts";

interface IndexWorkerOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly reads: ReadRules;
  /** The environment of a workspace that is not on this machine. */
  readonly elsewhere?: Environment | undefined;
  readonly embedder?: Embedder | undefined;
}

export class IndexWorker {
  readonly #worker: CodeWorker<IndexerService>;
  readonly #waiting = new Map<number, IndexWaiting["progress"]>();
  readonly #embedder: Embedder | undefined;
  readonly #vectors = new BoundedCache<string, Float32Array>({ maxEntries: 64 });
  #failed: { readonly problem: VectorProblem; readonly untilMs: number } | undefined;
  #asked = 0;

  constructor({ workspace, directory, reads, elsewhere, embedder }: IndexWorkerOptions) {
    const isElsewhere = elsewhere !== undefined;
    const indexed: IndexedWorkspace = { workspace, directory, isElsewhere, model: embedder?.model };
    this.#embedder = embedder;
    const ours: Omit<IndexerCallbacks, "list" | "read"> = {
      embed: (request, options) => embedder!.embed(request, options),
      mayRead: async (paths) => paths.map((path) => reads.guard("read", path) === undefined),
      maySend: async (paths) => paths.map((path) => !reads.asks?.(path)),
      progress: async ({ asked, message }) => this.#waiting.get(asked)?.(message),
    };
    this.#worker = new CodeWorker({
      role: ["indexer", JSON.stringify(indexed)],
      concurrency: Number.POSITIVE_INFINITY,
      ours: { ...ours, ...(elsewhere && filesOf(elsewhere)) },
      // The index may still be building.
      idleMs: 600_000,
      patienceMs: 700,
    });
  }

  async index({ signal, progress, patient = false }: IndexWaiting): Promise<ProjectIndex> {
    const asked = ++this.#asked;
    this.#waiting.set(asked, progress);
    try {
      const state = await this.#worker.ask("refresh", () => ({ asked, patient }), { ...about, signal });
      return {
        state,
        ...this.#queries,
        search: (query, options) => this.#search(query, state.vectors, options),
      };
    } finally {
      this.#waiting.delete(asked);
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #search(
    query: IndexQuery,
    state: VectorState | undefined,
    { signal }: Reading,
  ): Promise<IndexAnswer> {
    const vector = await this.#vectorOf(query.words, state, signal);
    const sent = vector instanceof Float32Array ? { ...query, vector } : query;
    const hits = await this.#worker.ask("search", () => sent, { ...about, signal });
    return { hits, problem: vector instanceof Float32Array ? undefined : vector };
  }

  /** Returns the vector of a query, or why there is none. Returns undefined when there is nothing to compare it with. */
  async #vectorOf(
    words: string,
    state: VectorState | undefined,
    signal: AbortSignal,
  ): Promise<Float32Array | VectorProblem | undefined> {
    if (this.#embedder === undefined || state === undefined) return undefined;
    if (state.missing === state.pieces) return state.problem;
    // In this order: a part of a key does not look like one.
    const text = redactText(words).slice(0, maxQueryChars);
    const known = this.#vectors.use(text);
    if (known !== undefined) return known;
    if (this.#failed && Date.now() < this.#failed.untilMs) return this.#failed.problem;
    try {
      const { vectors } = await this.#embedder.embed({ texts: [text], purpose: "query" }, { signal });
      this.#failed = undefined;
      if (vectors[0] !== undefined) this.#vectors.set(text, vectors[0]);
      return vectors[0];
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      const problem = { message: error.message, hint: error.hint };
      // A server that does not answer must not delay every search.
      this.#failed = { problem, untilMs: Date.now() + restMs };
      return problem;
    }
  }

  readonly #queries: Omit<ProjectIndex, "state" | "search"> = {
    candidates: (pattern, { signal }) => this.#worker.ask("candidates", () => pattern, { ...about, signal }),
    symbols: (wanted, { signal }) => this.#worker.ask("symbols", () => wanted, { ...about, signal }),
    symbolsAround: (files, { signal }) =>
      this.#worker.ask("symbolsAround", () => files, { ...about, signal }),
    central: (wanted, { signal }) => this.#worker.ask("central", () => wanted, { ...about, signal }),
  };
}

/** Answers about the files of another machine, to which only this process is connected. */
export function filesOf(environment: Environment): Pick<IndexerCallbacks, "list" | "read"> {
  const lister = new WorkspaceLister(environment);
  let sent: ListedFiles | undefined;
  return {
    list: async ({ isKnown }, { signal }) => {
      const files = await lister.list(signal);
      if (isKnown && files === sent) return "same";
      sent = files;
      return new Map(Array.from(files.places(), (place) => [files.pathAt(place), files.at(place)]));
    },
    read: ({ paths, known }, { signal }) =>
      environment.readFiles!(paths, { maxFileBytes, maxBytes: maxReadBytes, known, signal }),
  };
}

const maxQueryChars = 1500;
const restMs = 30_000;
const maxFileBytes = 16 * 1024 * 1024;
const maxReadBytes = 4 * 1024 * 1024;

const about = { about: "the index", hint: "Retry, or search with search.grep, which needs no index." };
