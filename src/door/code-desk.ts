import { discardIndex, indexFile, sizeOfIndex } from "../code/index/index-file.ts";
import { languages } from "../code/languages/languages.ts";
import type { CodeOptions, OpenCode } from "../code/open-code.ts";
import type { Code, IndexState, IndexWaiting } from "../contract/code.ts";
import { workspaceFiles } from "../environment/directories.ts";
import { lazyCode } from "./lazy-code.ts";
import { OpenPolicy, type PolicyOptions } from "./open-policy.ts";

/** Where people look after what reads the code of a workspace, whoever works there meanwhile. Close it. */
export class CodeDesk {
  readonly #directory: string;
  readonly #code: OpenCode;

  /** The index holds what the rules let a room read. */
  static async open(options: PolicyOptions): Promise<CodeDesk> {
    const { index: directory } = workspaceFiles(options.state, options.workspace);
    const { guard } = await OpenPolicy.open(options);
    return new CodeDesk({ workspace: options.workspace, directory, guard });
  }

  private constructor(options: CodeOptions) {
    this.#directory = options.directory;
    this.#code = lazyCode(options);
  }

  get languages(): number {
    return languages.length;
  }

  get indexFile(): string {
    return indexFile(this.#directory);
  }

  /** In bytes; undefined where there is none. */
  get indexSize(): number | undefined {
    return sizeOfIndex(this.#directory);
  }

  outline(...asked: Parameters<Code["outline"]>): ReturnType<Code["outline"]> {
    return this.#code.outline(...asked);
  }

  /** Brings the index up to date, however long that takes. */
  async buildIndex(waiting: IndexWaiting): Promise<IndexState> {
    for (;;) {
      const { state } = await this.#code.index(waiting);
      if (!state.isBuilding) return state;
    }
  }

  discardIndex(): void {
    discardIndex(this.#directory);
  }

  close(): Promise<void> {
    return this.#code.close();
  }
}
