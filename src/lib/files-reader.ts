import type { Directory, Environment, FilesWanted, ReadResult } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { throwIfAborted } from "./async/abort.ts";
import { contentHash } from "./bytes/content-hash.ts";
import { isExhaustion } from "./exhaustion.ts";

/** Reads files in path order. Keeps a directory open for consecutive files in it. Follows no links. */
export class FilesReader {
  readonly #environment: Environment;
  #directory: Directory | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async read(path: string, largest: number): Promise<Exclude<ReadResult, "same">> {
    try {
      const cut = path.lastIndexOf("/");
      const directory = await this.#open(path.slice(0, Math.max(0, cut)));
      return (await directory.readFile(path.slice(cut + 1), largest)) ?? "unreadable";
    } catch (error) {
      if (!(error instanceof ToolError) || isExhaustion(error)) throw error;
      return error.code === "denied" || error.code === "unavailable" ? "unreadable" : "gone";
    }
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
  }

  async #open(path: string): Promise<Directory> {
    if (this.#directory?.path !== path) {
      this.close();
      const directory = await this.#environment.openDirectory(path || ".");
      const { workspace } = this.#environment;
      const expected = path === "" ? workspace : `${workspace === "/" ? "" : workspace}/${path}`;
      if ((directory.realPath ?? expected) !== expected) {
        directory.close();
        throw new ToolError("not-found", "A directory above the file is a link");
      }
      this.#directory = directory;
    }
    return this.#directory!;
  }
}

/** Returns contents that were read before. */
export class GivenFiles {
  readonly #contents: ReadonlyMap<string, ReadResult>;

  constructor(contents: ReadonlyMap<string, ReadResult>) {
    this.#contents = contents;
  }

  async read(path: string): Promise<ReadResult> {
    return this.#contents.get(path) ?? "gone";
  }

  close(): void {}
}

/** Implements Environment.readFiles on an environment where a round trip per file is fast. */
export async function readMany(
  environment: Environment,
  paths: readonly string[],
  { maxFileBytes, maxBytes, known, signal }: FilesWanted,
): Promise<readonly ReadResult[]> {
  const reader = new FilesReader(environment);
  const results: ReadResult[] = [];
  let bytes = 0;
  const isKnown = (path: string, content: Uint8Array) => {
    const hash = known?.get(path) ?? "";
    return hash !== "" && contentHash(content) === hash;
  };
  try {
    for (const path of paths) {
      if (bytes >= maxBytes) break;
      throwIfAborted(signal);
      const content = await reader.read(path, maxFileBytes);
      if (typeof content === "string" || !isKnown(path, content)) {
        results.push(content);
        if (typeof content !== "string") bytes += content.length;
      } else results.push("same");
    }
    return results;
  } finally {
    reader.close();
  }
}
