import type { CodeOptions, OpenCode } from "../code/open-code.ts";
import type { OpenDocuments } from "../documents/open-documents.ts";
import type { ShellTable } from "../environment/shells/open-shells.ts";

/** Loads the code reader with the first call that needs it: most sessions need none. */
export function lazyCode(options: CodeOptions): OpenCode {
  let loading: Promise<OpenCode> | undefined;
  const load = () => {
    loading ??= import("../code/open-code.ts").then(({ openCode }) => openCode(options));
    return loading;
  };
  return {
    outline: async (...asked) => (await load()).outline(...asked),
    occurrences: async (...asked) => (await load()).occurrences(...asked),
    index: async (...asked) => (await load()).index(...asked),
    close: async () => (await loading)?.close(),
  };
}

/** Loads the document reader with the first call that needs it. */
export function lazyDocuments(): OpenDocuments {
  let loading: Promise<OpenDocuments> | undefined;
  const load = () => {
    loading ??= import("../documents/open-documents.ts").then(({ openDocuments }) => openDocuments());
    return loading;
  };
  return {
    read: async (...asked) => (await load()).read(...asked),
    close: async () => (await loading)?.close(),
  };
}

/** Loads the shells that stay open with the first command that runs in one. */
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
    history: (name) => table?.history(name),
    stop: async (name) => (await load()).stop(name),
    stopOf: async (caller) => (await loading)?.stopOf(caller),
    close: async () => (await loading)?.close(),
  };
}
