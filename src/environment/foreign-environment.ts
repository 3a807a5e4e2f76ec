import type {
  Announcing,
  ChangeReceipt,
  Directory,
  Environment,
  Reaching,
  SearchOptions,
} from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import type { SearchFound, SearchWanted } from "../contract/whole-operations.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { ownRealPath } from "../lib/own-real-path.ts";
import { RefusedPath } from "../lib/refused-path.ts";
import { isOutputHandle, isReadOnlyOutput, isStale } from "../system/file-errors.ts";
import { PathChecker } from "../system/path-checker.ts";
import { liesInside, withSlash } from "../system/workspace-path.ts";

// These functions are for environments other than this machine. The local environment does the same itself.

/**
 * Asks a guard about every path. Changes are checked by their real path when they are announced, and reads by the real
 * path that the environment has read. An environment that does not report that path is asked for it afterwards: there,
 * an attacker who swaps links in between could win the race.
 */
export function withGuard(environment: Environment, guard: PathGuard): Environment {
  const checker = new PathChecker(environment.workspace, guard);
  const reading = async <Result>(
    path: string,
    given: Reaching | undefined,
    read: (reaching: Required<Reaching>) => Promise<Result>,
  ): Promise<Result> => {
    let isChecked = false;
    const reached = (realPath: string) => {
      // Stored outputs are outside the workspace.
      if (liesInside(realPath, environment.workspace)) checker.check("read", realPath, path);
      isChecked = true;
      given?.reached?.(realPath);
    };
    const result = await read({ reached });
    if (!isChecked) reached(await environment.realPath(path));
    return result;
  };
  return overrideEnvironment(environment, {
    readFile: (path, options) =>
      reading(path, options, (reaching) => environment.readFile(path, { ...options, ...reaching })),
    readBytes: (path, range) =>
      reading(path, range, (reaching) => environment.readBytes(path, { ...range, ...reaching })),
    readLines: (path, range, signal) =>
      reading(path, range, (reaching) => environment.readLines(path, { ...range, ...reaching }, signal)),
    readFiles: async (paths, wanted) => {
      const results = await environment.readFiles!(paths, wanted);
      // No links were followed, so these are the real paths.
      const isRefused = (path: string) =>
        guard("read", withSlash(environment.workspace) + path) !== undefined;
      return results.map((result, index) => (isRefused(paths[index]!) ? "unreadable" : result));
    },
    openDirectory: async (path) => {
      const directory = await environment.openDirectory(path);
      return guardedDirectory(directory, directory.realPath ?? (await environment.realPath(path)), checker);
    },
    search: (wanted, options) => guardedSearch(environment, wanted, options, checker),
    writeFile: (path, content, options) =>
      environment.writeFile(path, content, withChecks(options, [path], checker)),
    delete: async (path, options) => {
      const realPath = await ownRealPath(environment, path);
      checker.check("write", realPath, path);
      return environment.delete(path, withChecks(options, [path], checker));
    },
    move: async (from, to, options) => {
      const [fromPath, toPath] = [await ownRealPath(environment, from), await ownRealPath(environment, to)];
      const pass = (entry: string) => {
        checker.check("read", entry, from);
        checker.check("write", entry, from);
        checker.check("write", toPath + entry.slice(fromPath.length), to);
      };
      pass(fromPath);
      for await (const entry of entriesBelow(environment, fromPath)) pass(entry);
      const checked = withChecks(options, [from, to], checker);
      await environment.move(from, to, {
        ...checked,
        announce: (effects) => {
          const [leaving, arriving] = effects.slice(-2);
          // A folder on the way may have become a link since the check.
          if (leaving?.realPath !== fromPath || arriving?.realPath !== toPath) throw isStale(from, "changed");
          return checked.announce?.(effects);
        },
      });
      try {
        for await (const entry of entriesBelow(environment, toPath))
          pass(fromPath + entry.slice(toPath.length));
      } catch (error) {
        // Another program has added an entry since the check.
        await environment.move(to, from);
        throw error;
      }
    },
    change: (changes, options) => {
      const paths = changes.map(({ path }) => path);
      return environment.change(changes, withChecks(options, paths, checker));
    },
    changeEntry: async (path, ...rest) => {
      checker.check("write", await ownRealPath(environment, path), path);
      return environment.changeEntry(path, ...rest);
    },
  });
}

/** Repeats a search without the files that the guard refuses, because their results count towards the limit. */
async function guardedSearch(
  environment: Environment,
  wanted: SearchWanted,
  options: SearchOptions,
  checker: PathChecker,
): Promise<SearchFound> {
  const root = withSlash(environment.workspace);
  const isRefused = (path: string) => {
    try {
      checker.check("read", root + path, path);
      return false;
    } catch (error) {
      if (error instanceof RefusedPath) return true;
      throw error;
    }
  };
  const without = new Set(options.without);
  for (let round = 0; round < maxSearches; round += 1) {
    const found = await environment.search!(wanted, { ...options, without: [...without] });
    const { scope, hits, skipped } = found;
    if (scope.kind === "file") checker.check("read", root + scope.path, scope.path);
    const refused = hits.filter(({ path }) => isRefused(path));
    const allowed = (paths: Iterable<string>) => [...paths].filter((path) => !isRefused(path));
    if (refused.length === 0)
      return {
        ...found,
        skipped: { ...skipped, partly: allowed(skipped.partly), tooLarge: allowed(skipped.tooLarge) },
      };
    const before = without.size;
    for (const { path } of refused) without.add(path);
    if (without.size === before)
      throw new ToolError("internal", "The target returned files that the search excludes");
  }
  throw new ToolError("too-large", "Too many results are in files that the rules deny", {
    hint: "Search a narrower `path`, or exclude them with `glob`.",
  });
}

/** Each search excludes at least one more file. Without a limit, a target could make the search endless. */
const maxSearches = 50;

/** Returns the options of a change to the `given` paths with a check of every announced effect. */
function withChecks<Options extends Announcing>(
  options: Options | undefined,
  given: readonly string[],
  checker: PathChecker,
): Options {
  return {
    ...(options as Options),
    announce: (effects: readonly ChangeReceipt[]) => {
      // The effects begin with the directories that are created for the change.
      const first = effects.length - given.length;
      for (const [index, { realPath }] of [...effects.entries()].reverse())
        checker.check("write", realPath, given[index - first] ?? given[0]!);
      return options?.announce?.(effects);
    },
  };
}

/** Yields the real path of everything in a directory; nothing for any other entry. */
async function* entriesBelow(environment: Environment, realPath: string): AsyncGenerator<string> {
  const info = await environment.info(realPath, { followLinks: false }).catch(undefinedUnlessExhausted);
  if (info?.kind !== "directory") return;
  const directory = await environment.openDirectory(realPath);
  try {
    for (const { name, kind } of await directory.entries()) {
      const path = withSlash(realPath) + name;
      yield path;
      if (kind === "directory") yield* entriesBelow(environment, path);
    }
  } finally {
    directory.close();
  }
}

function guardedDirectory(directory: Directory, realPath: string, checker: PathChecker): Directory {
  const at = (name: string) => withSlash(realPath) + name;
  return {
    path: directory.path,
    realPath,
    entries: () => directory.entries(),
    openDirectory: async (name) => guardedDirectory(await directory.openDirectory(name), at(name), checker),
    info: (name) => directory.info(name),
    readFile: async (name, maxBytes) => {
      const bytes = await directory.readFile(name, maxBytes);
      checker.check("read", at(name), directory.path === "" ? name : `${directory.path}/${name}`);
      return bytes;
    },
    close: () => directory.close(),
  };
}

/** Adds stored outputs to an environment: their handles name files in the root folder of `outputs`. */
export function withOutputs(environment: Environment, outputs: Environment): Environment {
  const isStored = async (path: string) =>
    isOutputHandle(path) && (await outputs.info(path).catch(undefinedUnlessExhausted)) !== undefined;
  const reading = async (path: string) => ((await isStored(path)) ? outputs : environment);
  const changing = async (...paths: readonly string[]) => {
    for (const path of paths) if (await isStored(path)) throw isReadOnlyOutput(path);
    return environment;
  };
  return overrideEnvironment(environment, {
    realPath: async (path) => (await reading(path)).realPath(path),
    info: async (path, options) => (await reading(path)).info(path, options),
    readFile: async (path, options) => (await reading(path)).readFile(path, options),
    readBytes: async (path, range) => (await reading(path)).readBytes(path, range),
    readLines: async (path, range, signal) => (await reading(path)).readLines(path, range, signal),
    state: async (path, options) => (await reading(path)).state(path, options),
    writeFile: async (path, ...rest) => (await changing(path)).writeFile(path, ...rest),
    delete: async (path, options) => (await changing(path)).delete(path, options),
    move: async (from, to, options) => (await changing(from, to)).move(from, to, options),
    change: async (changes, options) =>
      (await changing(...changes.map(({ path }) => path))).change(changes, options),
    changeEntry: async (path, ...rest) => (await changing(path)).changeEntry(path, ...rest),
  });
}
