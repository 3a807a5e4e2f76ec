import type { IndexWaiting, ProjectIndex } from "../../contract/code.ts";
import type { Environment } from "../../contract/environment.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { type ListedFiles, WorkspaceLister } from "../index/build/list-workspace.ts";
import { CodeWorker } from "./code-worker.ts";
import type { IndexedWorkspace, IndexerCallbacks, IndexerService } from "./index-service.ts";

interface IndexWorkerOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly guard: PathGuard;
  /** The environment of a workspace that is not on this machine. */
  readonly elsewhere?: Environment | undefined;
}

export class IndexWorker {
  readonly #worker: CodeWorker<IndexerService>;
  readonly #waiting = new Map<number, IndexWaiting["progress"]>();
  #asked = 0;

  constructor({ workspace, directory, guard, elsewhere }: IndexWorkerOptions) {
    const indexed: IndexedWorkspace = { workspace, directory, isElsewhere: elsewhere !== undefined };
    const ours: Omit<IndexerCallbacks, "list" | "read"> = {
      mayRead: async (paths) => paths.map((path) => guard("read", path) === undefined),
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

/** Answers about the files of another machine, to which only this process is connected. */
export function filesOf(environment: Environment): Pick<IndexerCallbacks, "list" | "read"> {
  const lister = new WorkspaceLister(environment);
  let sent: ListedFiles | undefined;
  return {
    list: async ({ isKnown }, { signal }) => {
      const files = await lister.list(signal);
      if (isKnown && files === sent) return "same";
      sent = files;
      return new Map(files);
    },
    read: ({ paths, known }, { signal }) =>
      environment.readFiles!(paths, { maxFileBytes, maxBytes: maxReadBytes, known, signal }),
  };
}

const maxFileBytes = 16 * 1024 * 1024;
const maxReadBytes = 4 * 1024 * 1024;

const about = { about: "the index", hint: "Retry, or search with search.grep, which needs no index." };
