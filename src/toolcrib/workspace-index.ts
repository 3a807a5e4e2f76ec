import { discardIndex, indexFile, sizeOfIndex } from "../code/index/storage/index-file.ts";
import type { IndexState, IndexWaiting } from "../contract/code.ts";
import { workspaceFiles } from "../system/directories.ts";
import { lazyCode } from "./lazy-parts.ts";
import { OpenPolicy, type PolicyOptions } from "./open-policy.ts";

/** The code index of a workspace, for the user to inspect, build and discard while others may be using it. */
export class WorkspaceIndex {
  readonly #options: PolicyOptions;
  readonly #directory: string;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#directory = workspaceFiles(options.state, options.workspace).index;
  }

  get file(): string {
    return indexFile(this.#directory);
  }

  /** The size in bytes; undefined without an index. */
  get size(): number | undefined {
    return sizeOfIndex(this.#directory);
  }

  /** Brings the index up to date, without a time limit. It contains only files that the rules let tools read. */
  async build(waiting: IndexWaiting): Promise<IndexState> {
    const { reads } = await OpenPolicy.open(this.#options);
    const { workspace } = this.#options;
    const code = lazyCode({ workspace, directory: this.#directory, reads: () => reads });
    try {
      for (;;) {
        const { state } = await code.index(waiting);
        if (!state.isBuilding) return state;
      }
    } finally {
      await code.close();
    }
  }

  discard(): void {
    discardIndex(this.#directory);
  }
}
