import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { discardIndex, indexFile, sizeOfIndex } from "../code/index/storage/index-file.ts";
import type { StoredVectors } from "../code/index/vectors/vector-table.ts";
import type { IndexState, IndexWaiting } from "../contract/code.ts";
import type { Embedder } from "../contract/embeddings.ts";
import { attempt } from "../system/attempt.ts";
import { makePrivateDirectory, workspaceFiles } from "../system/directories.ts";
import { recordedProcess, recordThisProcess } from "../system/process-identity.ts";
import { identityOf } from "../system/sqlite-file.ts";
import { lazyCode } from "./lazy-parts.ts";
import { OpenPolicy, type PolicyOptions } from "./open-policy.ts";

interface WorkspaceIndexOptions extends PolicyOptions {
  readonly embedder?: Embedder | undefined;
}

/** The code index of a workspace, for the user to inspect, build and discard while others may be using it. */
export class WorkspaceIndex {
  readonly #options: WorkspaceIndexOptions;
  readonly #directory: string;

  constructor(options: WorkspaceIndexOptions) {
    this.#options = options;
    this.#directory = workspaceFiles(options.state, options.id ?? options.workspace).index;
  }

  get file(): string {
    return indexFile(this.#directory);
  }

  /** The size in bytes; undefined without an index. */
  get size(): number | undefined {
    return sizeOfIndex(this.#directory);
  }

  /** The stored vectors; undefined without them. */
  async vectors(): Promise<StoredVectors | "damaged" | undefined> {
    const { storedVectors } = await import("../code/index/vectors/vector-table.ts");
    return storedVectors(this.#directory);
  }

  /** Brings the index up to date, without a time limit. It contains only files that the rules let tools read. */
  async build(waiting: IndexWaiting): Promise<IndexState> {
    const { reads } = await OpenPolicy.open(this.#options);
    const { workspace, environment: elsewhere, embedder } = this.#options;
    const code = lazyCode({ workspace, directory: this.#directory, reads: () => reads, elsewhere, embedder });
    try {
      for (let before = Number.POSITIVE_INFINITY; ; ) {
        const { state } = await code.index(waiting);
        const { missing = 0, pieces = 0, isRunning } = state.vectors ?? {};
        if (!state.isBuilding && !isRunning && (missing === 0 || missing === before)) return state;
        if (state.isBuilding) {
          waiting.progress("Merging the index");
          await sleep(mergingMs, undefined, { signal: waiting.signal });
          continue;
        }
        before = missing;
        waiting.progress(`Embedding: ${pieces - missing} of ${pieces} pieces`);
        await sleep(vectorsMs, undefined, { signal: waiting.signal });
      }
    } finally {
      await code.close();
    }
  }

  /**
   * Builds the index with low priority, unless another process already does this. Ends after ten minutes, and when the
   * workspace or the state folder is removed. Keeps what is built.
   */
  async buildInBackground(): Promise<void> {
    makePrivateDirectory(this.#directory);
    const { BuildLock } = await import("../code/index/build/background-build.ts");
    const lock = new BuildLock(this.#directory, "background.db");
    if (!lock.take()) return;
    attempt(() => setPriority(lowPriority));
    recordThisProcess(this.#builderFile);
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), mostMs);
    const built = this.build({ signal: ending.signal, progress: () => {} }).catch(() => {});
    const isDone = built.then(() => true);
    const { workspace, environment } = this.#options;
    const folders = environment === undefined ? [workspace, this.#directory] : [this.#directory];
    while (!(await Promise.race([isDone, sleep(lookMs, false)])))
      if (folders.map(identityOf).includes(undefined)) ending.abort();
    clearTimeout(timer);
    lock.release();
  }

  /** The id of the process that builds this index in the background. */
  get builder(): number | undefined {
    return recordedProcess(this.#builderFile);
  }

  /** Ends the process that builds this index in the background, and returns its id. The index keeps what is built. */
  stop(): number | undefined {
    const { builder } = this;
    if (builder === undefined || builder === process.pid) return undefined;
    attempt(() => process.kill(builder));
    return builder;
  }

  /** Deletes the index, and ends the process that builds it in the background. */
  discard(): void {
    this.stop();
    discardIndex(this.#directory);
  }

  get #builderFile(): string {
    return join(this.#directory, "background.pid");
  }
}

/** Merging waits while files are scanned, so they are not scanned often. */
const mergingMs = 2000;
/** How often vectors that are being made are counted. */
const vectorsMs = 200;
const lowPriority = 19;
const mostMs = 600_000;
const lookMs = 500;
