import type { Announcing, ChangeReceipt, Directory, Environment } from "../contract/environment.ts";
import type { PathGuard } from "../contract/guard.ts";
import { ownRealPath } from "../contract/own-real-path.ts";
import { Gate } from "../system/gate.ts";
import { liesInside, withSlash } from "../system/workspace-path.ts";

/**
 * An environment whose paths a guard watches over; for environments that are not this machine, which asks it itself.
 * What is changed is judged where it is announced, by the path that was reached. What is read is looked up first: unlike
 * on this machine, somebody who exchanges links in that moment could be quicker.
 */
export function withGuard(environment: Environment, guard: PathGuard): Environment {
  const gate = new Gate(environment.workspace, guard);
  const reading = async (path: string) => {
    const realPath = await environment.realPath(path);
    // A kept output lies elsewhere.
    if (liesInside(realPath, environment.workspace)) gate.pass("read", realPath, path);
    return environment;
  };
  const watched = <Options extends Announcing>(options: Options | undefined, given: readonly string[]) => ({
    ...(options as Options),
    announce: (effects: readonly ChangeReceipt[]) => {
      // Directories made for it come first.
      const first = effects.length - given.length;
      for (const [index, { realPath }] of [...effects.entries()].reverse())
        gate.pass("write", realPath, given[index - first] ?? given[0]!);
      options?.announce?.(effects);
    },
  });
  return {
    workspace: environment.workspace,
    realPath: (path) => environment.realPath(path),
    info: (...call) => environment.info(...call),
    readFile: async (path, options) => (await reading(path)).readFile(path, options),
    readBytes: async (path, range) => (await reading(path)).readBytes(path, range),
    readLines: async (path, range, signal) => (await reading(path)).readLines(path, range, signal),
    writeFile: (path, content, options) => environment.writeFile(path, content, watched(options, [path])),
    delete: async (path, options) => {
      const realPath = await ownRealPath(environment, path);
      gate.pass("write", realPath, path);
      if (options?.recursive === true)
        for await (const entry of entriesBelow(environment, realPath)) gate.pass("write", entry, path);
      return environment.delete(path, watched(options, [path]));
    },
    move: async (from, to, options) => {
      const [fromPath, toPath] = [await ownRealPath(environment, from), await ownRealPath(environment, to)];
      const pass = (entry: string) => {
        gate.pass("read", entry, from);
        gate.pass("write", entry, from);
        gate.pass("write", toPath + entry.slice(fromPath.length), to);
      };
      pass(fromPath);
      for await (const entry of entriesBelow(environment, fromPath)) pass(entry);
      return environment.move(from, to, watched(options, [from, to]));
    },
    change: (changes, options) =>
      environment.change(
        changes,
        watched(
          options,
          changes.map(({ path }) => path),
        ),
      ),
    state: (...call) => environment.state(...call),
    changeEntry: async (path, ...rest) => {
      gate.pass("write", await ownRealPath(environment, path), path);
      return environment.changeEntry(path, ...rest);
    },
    ...(environment.recovered === undefined ? {} : { recovered: environment.recovered }),
    modifiedTimes: (...call) => environment.modifiedTimes(...call),
    ...(environment.snapshot === undefined ? {} : { snapshot: environment.snapshot.bind(environment) }),
    openDirectory: async (path) => {
      const directory = await environment.openDirectory(path);
      return guardedDirectory(directory, await environment.realPath(path), gate);
    },
    ignoreFilesOutside: async () => (await environment.ignoreFilesOutside?.()) ?? [],
    ...(environment.sandbox === undefined ? {} : { sandbox: environment.sandbox.bind(environment) }),
    start: (...call) => environment.start(...call),
    ...(environment.exchange === undefined ? {} : { exchange: environment.exchange.bind(environment) }),
    close: () => environment.close(),
  };
}

/** All that lies in a directory; nothing for what is none. */
async function* entriesBelow(environment: Environment, realPath: string): AsyncGenerator<string> {
  const info = await environment.info(realPath, { followLinks: false }).catch(() => undefined);
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

function guardedDirectory(directory: Directory, realPath: string, gate: Gate): Directory {
  const at = (name: string) => withSlash(realPath) + name;
  return {
    path: directory.path,
    entries: () => directory.entries(),
    openDirectory: async (name) => guardedDirectory(await directory.openDirectory(name), at(name), gate),
    info: (name) => directory.info(name),
    readFile: async (name, maxBytes) => {
      const bytes = await directory.readFile(name, maxBytes);
      gate.pass("read", at(name), directory.path === "" ? name : `${directory.path}/${name}`);
      return bytes;
    },
    close: () => directory.close(),
  };
}
