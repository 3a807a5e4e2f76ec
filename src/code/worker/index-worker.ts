import type { IndexWaiting, ProjectIndex } from "../../contract/code.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { CodeHost } from "./code-worker.ts";
import type { IndexerAsks, IndexerService } from "./index-service.ts";

export interface IndexHostOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly guard: PathGuard;
}

/** Asks the index of a workspace, which a host of its own keeps. */
export class IndexHost {
  readonly #host: CodeHost<IndexerService>;
  readonly #waiting = new Map<number, IndexWaiting["progress"]>();
  #asked = 0;

  constructor({ workspace, directory, guard }: IndexHostOptions) {
    const ours: IndexerAsks = {
      mayRead: async (paths) => paths.map((path) => guard("read", path) === undefined),
      progress: async ({ asked, message }) => this.#waiting.get(asked)?.(message),
    };
    this.#host = new CodeHost({
      role: ["indexer", workspace, directory],
      atOnce: Number.POSITIVE_INFINITY,
      ours,
      // It may be building.
      idleMs: 600_000,
      patienceMs: 700,
    });
  }

  async index({ signal, progress }: IndexWaiting): Promise<ProjectIndex> {
    const asked = ++this.#asked;
    this.#waiting.set(asked, progress);
    try {
      const state = await this.#host.ask("refresh", () => ({ asked }), { ...about, signal });
      return { state, ...this.#questions };
    } finally {
      this.#waiting.delete(asked);
    }
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  readonly #questions: Omit<ProjectIndex, "state"> = {
    search: (question, { signal }) => this.#host.ask("search", () => question, { ...about, signal }),
    candidates: (pattern, { signal }) => this.#host.ask("candidates", () => pattern, { ...about, signal }),
    symbols: (wanted, { signal }) => this.#host.ask("symbols", () => wanted, { ...about, signal }),
    central: (wanted, { signal }) => this.#host.ask("central", () => wanted, { ...about, signal }),
  };
}

const about = { about: "the index", otherWay: "Ask again, or search with search.grep, which needs none." };
