import type { Environment } from "../contract/environment.ts";
import { isOutputHandle, isReadOnlyOutput } from "../system/failures.ts";

/**
 * An environment that also reads spilled outputs by their handles, from the folder that `outputs` is rooted at; for
 * environments that are not this machine, which knows handles itself.
 * A name of that shape for which nothing is kept is a path like any other.
 */
export function withOutputs(environment: Environment, outputs: Environment): Environment {
  const isKept = async (path: string) =>
    isOutputHandle(path) &&
    (await outputs.info(path).then(
      () => true,
      () => false,
    ));
  const reading = async (path: string) => ((await isKept(path)) ? outputs : environment);
  const changing = async (...paths: readonly string[]) => {
    for (const path of paths) if (await isKept(path)) throw isReadOnlyOutput(path);
    return environment;
  };
  return {
    workspace: environment.workspace,
    realPath: async (path) => (await reading(path)).realPath(path),
    info: async (path, options) => (await reading(path)).info(path, options),
    readFile: async (path, options) => (await reading(path)).readFile(path, options),
    readBytes: async (path, range) => (await reading(path)).readBytes(path, range),
    readLines: async (path, range, signal) => (await reading(path)).readLines(path, range, signal),
    writeFile: async (path, ...rest) => (await changing(path)).writeFile(path, ...rest),
    delete: async (path, options) => (await changing(path)).delete(path, options),
    move: async (from, to, options) => (await changing(from, to)).move(from, to, options),
    change: async (changes, options) =>
      (await changing(...changes.map(({ path }) => path))).change(changes, options),
    state: async (path, options) => (await reading(path)).state(path, options),
    changeEntry: async (path, ...rest) => (await changing(path)).changeEntry(path, ...rest),
    ...(environment.recovered === undefined ? {} : { recovered: environment.recovered }),
    modifiedTimes: (...call) => environment.modifiedTimes(...call),
    ...(environment.snapshot === undefined ? {} : { snapshot: environment.snapshot.bind(environment) }),
    openDirectory: (path) => environment.openDirectory(path),
    ignoreFilesOutside: async () => (await environment.ignoreFilesOutside?.()) ?? [],
    ...(environment.sandbox === undefined ? {} : { sandbox: environment.sandbox.bind(environment) }),
    start: (...call) => environment.start(...call),
    ...(environment.exchange === undefined ? {} : { exchange: environment.exchange.bind(environment) }),
    close: () => environment.close(),
  };
}
