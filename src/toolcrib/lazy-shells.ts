import type { ShellTable } from "../environment/shells/open-shells.ts";

/** Loaded by the first command that runs in one: most rooms have none. */
export function lazyShells(): ShellTable {
  let table: ShellTable | undefined;
  let loading: Promise<ShellTable> | undefined;
  const load = () => {
    loading ??= import("../environment/shells/open-shells.ts").then(({ openShells }) => {
      table = openShells({ tmux: "auto" });
      return table;
    });
    return loading;
  };
  return {
    forCall: (call) => ({ run: async (...command) => (await load()).forCall(call).run(...command) }),
    list: () => table?.list() ?? [],
    past: (name) => table?.past(name),
    stop: async (name) => (await load()).stop(name),
    stopOf: async (caller) => (await loading)?.stopOf(caller),
    close: async () => (await loading)?.close(),
  };
}
