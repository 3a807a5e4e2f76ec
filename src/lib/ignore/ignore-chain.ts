import type { Directory, DirectoryEntry, Environment } from "../../contract/environment.ts";
import { undefinedUnlessExhausted } from "../exhaustion.ts";
import {
  type IgnoreFileName,
  type IgnoreLevel,
  IgnoreLevels,
  ignoreLevel,
  outsideLevel,
} from "./ignore-rules.ts";

/** The combined rules of all ignore files that apply in one directory, read through an Environment. */
export class IgnoreChain extends IgnoreLevels {
  /** Returns the rules for the directory where a search starts; `start` is relative to the workspace. */
  static async at(environment: Environment, start: string): Promise<IgnoreChain> {
    const directory = await environment.openDirectory(start || ".");
    try {
      return await IgnoreChain.startingIn(directory, await directory.entries(), environment);
    } finally {
      directory.close();
    }
  }

  /** Does the same as `at` for a directory that is already open and listed. */
  static async startingIn(
    directory: Directory,
    entries: readonly DirectoryEntry[],
    environment: Environment,
  ): Promise<IgnoreChain> {
    const outside = (await environment.ignoreFilesOutside?.()) ?? [];
    const levels = outside.map(outsideLevel);
    const names = directory.path === "" ? [] : directory.path.split("/");
    const take = (level: IgnoreLevel | undefined) => level !== undefined && levels.unshift(level);
    for (let depth = 0; depth < names.length; depth += 1) {
      const other = await environment.openDirectory(names.slice(0, depth).join("/") || ".");
      try {
        take(await readLevel(other, await other.entries()));
      } finally {
        other.close();
      }
    }
    take(await readLevel(directory, entries));
    return new IgnoreChain(levels);
  }

  /** Returns the rules for a directory inside this one. */
  async in(directory: Directory, entries: readonly DirectoryEntry[]): Promise<IgnoreChain> {
    const level = await readLevel(directory, entries);
    return level === undefined ? this : new IgnoreChain([level, ...this.levels], this.isInRepository);
  }
}

/** Larger ignore files are skipped. */
const maxBytes = 1024 * 1024;

async function readLevel(
  directory: Directory,
  entries: readonly DirectoryEntry[],
): Promise<IgnoreLevel | undefined> {
  const texts = new Map<IgnoreFileName, string>();
  let isRepository = false;
  const read = async (name: IgnoreFileName, from: Directory, file: string) => {
    const bytes = await from.readFile(file, maxBytes).catch(undefinedUnlessExhausted);
    if (bytes !== undefined) texts.set(name, new TextDecoder().decode(bytes));
  };
  for (const { name, kind } of entries) {
    if (!name.startsWith(".")) continue;
    if (name === ".git") {
      isRepository = true;
      if (kind === "directory") await inInfo(directory, (info) => read("exclude", info, "exclude"));
    } else if (kind === "file" && (name === ".gitignore" || name === ".ignore" || name === ".rgignore")) {
      await read(name, directory, name);
    }
  }
  return ignoreLevel(directory.path, texts, isRepository);
}

async function inInfo(directory: Directory, act: (info: Directory) => Promise<void>): Promise<void> {
  let git: Directory | undefined;
  let info: Directory | undefined;
  try {
    git = await directory.openDirectory(".git");
    info = await git.openDirectory("info");
    await act(info);
  } catch (error) {
    // Not every repository has the folder .git/info.
    undefinedUnlessExhausted(error);
  } finally {
    info?.close();
    git?.close();
  }
}
