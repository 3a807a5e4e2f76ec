import type { Directory, Environment, FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { Breath } from "../../lib/breath.ts";
import { isStale } from "../../system/file-errors.ts";

/** One thing in a tree. */
export interface FoundEntry {
  readonly realPath: string;
  /** Undefined when its name is no valid UTF-8, and so cannot be told. */
  readonly info: FileInfo | undefined;
}

/** A directory and all in it, each after the directory it is in; or why that is not listed, to go on after its path. */
export async function listEntries(
  environment: Environment,
  top: FoundEntry,
  options: { readonly maxEntries: number; readonly signal?: AbortSignal },
): Promise<readonly FoundEntry[] | string> {
  const breath = new Breath(options.signal);
  const found: FoundEntry[] = [top];
  const pending = [top.realPath];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const directory = await open(environment, parent);
    try {
      for (const { name, kind } of await directory.entries()) {
        const realPath = `${parent}/${name}`;
        const info = await infoOf(directory, name);
        if (kind === "directory" && info === undefined) return "a name in it is no valid UTF-8";
        if (kind === "directory") pending.push(realPath);
        found.push({ realPath, info });
        if (found.length > options.maxEntries)
          return `it held more than ${options.maxEntries} files and directories`;
        if (breath.isDue) await breath.take();
      }
    } finally {
      directory.close();
    }
  }
  return found;
}

/** What was there a moment ago may be gone. */
async function open(environment: Environment, path: string): Promise<Directory> {
  try {
    return await environment.openDirectory(path);
  } catch (error) {
    throw error instanceof ToolError && error.code === "not-found" ? isStale(path, "gone") : error;
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
