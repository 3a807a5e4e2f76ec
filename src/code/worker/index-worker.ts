import type { IndexWaiting, ProjectIndex } from "../../contract/code.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { CodeWorker } from "./code-worker.ts";
import type { IndexerCallbacks, IndexerService } from "./index-service.ts";

interface IndexWorkerOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly guard: PathGuard;
}

export class IndexWorker {
  readonly #worker: CodeWorker<IndexerService>;
  readonly #waiting = new Map<number, IndexWaiting["progress"]>();
  #asked = 0;

  constructor({ workspace, directory, guard }: IndexWorkerOptions) {
    const ours: IndexerCallbacks = {
      mayRead: async (paths) => paths.map((path) => guard("read", path) === undefined),
      progress: async ({ asked, message }) => this.#waiting.get(asked)?.(message),
    };
    this.#worker = new CodeWorker({
      role: ["indexer", workspace, directory],
      concurrency: Number.POSITIVE_INFINITY,
      ours,
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
      return { state, ...this.#queries };
    } finally {
      this.#waiting.delete(asked);
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  readonly #queries: Omit<ProjectIndex, "state"> = {
    search: (query, { signal }) => this.#worker.ask("search", () => query, { ...about, signal }),
    candidates: (pattern, { signal }) => this.#worker.ask("candidates", () => pattern, { ...about, signal }),
    symbols: (wanted, { signal }) => this.#worker.ask("symbols", () => wanted, { ...about, signal }),
    outlines: (paths, { signal }) => this.#worker.ask("outlines", () => paths, { ...about, signal }),
    central: (wanted, { signal }) => this.#worker.ask("central", () => wanted, { ...about, signal }),
  };
}

const about = { about: "the index", hint: "Retry, or search with search.grep, which needs no index." };
