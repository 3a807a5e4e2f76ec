import type { Directory, Environment, FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { Breath } from "../../text/breath.ts";

/** One thing in a tree. */
export interface FoundEntry {
  readonly realPath: string;
  /** Undefined when its name is no valid UTF-8, and so cannot be told. */
  readonly info: FileInfo | undefined;
}

/** A directory and all in it, each after the directory it is in; undefined when there is more than told. */
export async function listEntries(
  environment: Environment,
  top: FoundEntry,
  options: { readonly maxEntries: number; readonly signal?: AbortSignal },
): Promise<readonly FoundEntry[] | undefined> {
  const breath = new Breath(options.signal);
  const found: FoundEntry[] = [top];
  const pending = [{ directory: await environment.openDirectory(top.realPath), realPath: top.realPath }];
  try {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { directory, realPath: parent } = next;
      try {
        for (const { name, kind } of await directory.entries()) {
          const realPath = `${parent}/${name}`;
          found.push({ realPath, info: await infoOf(directory, name) });
          if (found.length > options.maxEntries) return undefined;
          if (kind === "directory")
            pending.push({ directory: await directory.openDirectory(name), realPath });
          if (breath.isDue) await breath.take();
        }
      } finally {
        directory.close();
      }
    }
    return found;
  } finally {
    for (const { directory } of pending) directory.close();
  }
}

async function infoOf(directory: Directory, name: string): Promise<FileInfo | undefined> {
  try {
    return await directory.info(name);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  }
}
