import type { ToolContext } from "../../contract/tool.ts";
import { type SearchableText, toSearchableText } from "../../lib/searchable-text.ts";
import { withinTime } from "../../lib/time-bound.ts";
import type { Budget, InProcessSearch } from "./directory-search.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { testWithRipgrep } from "./run-ripgrep.ts";
import { scanLargeFile } from "./scan-large-file.ts";
import { scanText } from "./scan-text.ts";
import type { Scope } from "./scope.ts";
import { headBytes, maxWholeBytes, searchFiles } from "./search-files.ts";
import { searchLargeFile } from "./search-large-file.ts";

/** Searches one file, or kept output, that was asked for by name: also when it is ignored, hidden or no text. */
export class FileSearch implements InProcessSearch {
  readonly #scope: Scope & { kind: "file" };
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  readonly #context: ToolContext;

  constructor(
    scope: Scope & { kind: "file" },
    request: GrepRequest,
    results: GrepResults,
    context: ToolContext,
  ) {
    this.#scope = scope;
    this.#request = request;
    this.#results = results;
    this.#context = context;
  }

  async run(budget: Budget): Promise<boolean> {
    const { path, bytes, isOutput } = this.#scope;
    const isSmall = bytes <= Math.min(maxWholeBytes, budget.bytes);
    const content = await this.#read(isSmall ? maxWholeBytes : headBytes);
    const text = toSearchableText(content);
    const canSearch = this.#request.regex.untranslatable === undefined;
    if (text.binary) {
      const matches = isSmall && canSearch ? this.#matches(text) : await this.#matchesInRipgrep();
      this.#results.binary = { path, matches };
      return true;
    }
    if (!canSearch) return false;
    if (isSmall) searchFiles([{ path, bytes: content }], this.#request, this.#results);
    else if (isOutput) await scanLargeFile(path, this.#request, this.#results, this.#context);
    else await searchLargeFile(path, this.#request, this.#results, this.#context);
    return true;
  }

  async close(): Promise<void> {}

  #read(length: number): Promise<Uint8Array> {
    return this.#context.environment.readBytes(this.#scope.path, { offset: 0, length });
  }

  #matches(text: SearchableText): boolean {
    return withinTime(binaryMs, () => scanText(text, { ...this.#request, mode: "files" }, 1).count > 0);
  }

  async #matchesInRipgrep(): Promise<boolean | undefined> {
    if (this.#scope.isOutput) return undefined;
    return testWithRipgrep(this.#scope.path, this.#request, this.#context);
  }
}

const binaryMs = 500;
