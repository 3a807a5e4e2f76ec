import type { CodeOptions, OpenCode } from "../code/open-code.ts";
import type { OpenServers, ServersOptions } from "../code/servers/open-servers.ts";
import type { Embedder } from "../contract/embeddings.ts";
import { ToolError } from "../contract/error.ts";
import type { OpenDocuments } from "../documents/open-documents.ts";
import type { ShellTable } from "../environment/shells/open-shells.ts";
import { loadOnce } from "../lib/async/load-once.ts";
import type { OpenScripts } from "../script/open-scripts.ts";
import type { Workspace } from "./open-workspace.ts";

/** Loads the code reader with the first call that needs it, because most sessions do not need it. */
export function lazyCode({ embedder, ...options }: CodeOptions): OpenCode {
  const { load, loaded } = loadOnce(async () =>
    (await import("../code/open-code.ts")).openCode({
      ...options,
      embedder: embedder && (await withoutSecrets(embedder)),
    }),
  );
  return {
    outline: async (...asked) => (await load()).outline(...asked),
    occurrences: async (...asked) => (await load()).occurrences(...asked),
    index: async (...asked) => (await load()).index(...asked),
    close: async () => (await loaded())?.close(),
  };
}

/** Redacts secrets in all texts that leave for an embedding model. */
async function withoutSecrets(embedder: Embedder): Promise<Embedder> {
  const { redactText } = await import("../policy/redaction/redact.ts");
  return {
    model: embedder.model,
    address: embedder.address,
    embed: ({ texts, purpose }, options) =>
      embedder.embed({ texts: texts.map((text) => redactText(text)), purpose }, options),
  };
}

/** Loads the language servers with the first call that asks one. Edits do not load them. */
export function lazyServers(options: ServersOptions): OpenServers {
  const { load, loaded } = loadOnce(async () =>
    (await import("../code/servers/open-servers.ts")).openServers(options),
  );
  return {
    forCall: (call) => ({
      serverFor: async (path, wanted) => {
        if (wanted?.onlyRunning && loaded() === undefined)
          return { missing: "No language server runs", hint: undefined, isKnown: false };
        return (await load()).forCall(call).serverFor(path, wanted);
      },
      newErrors: async (changes) => (await loaded())?.forCall(call).newErrors(changes) ?? [],
    }),
    close: async () => (await loaded())?.close(),
  };
}

/** Loads the document reader with the first call that needs it. */
export function lazyDocuments(workspace: string): OpenDocuments {
  const { load, loaded } = loadOnce(async () =>
    (await import("../documents/open-documents.ts")).openDocuments(workspace),
  );
  return {
    read: async (...asked) => (await load()).read(...asked),
    close: async () => (await loaded())?.close(),
  };
}

/** Loads the engine of scripts with the first script. */
export function lazyScripts(): OpenScripts {
  const { load, loaded } = loadOnce(async () => (await import("../script/open-scripts.ts")).openScripts());
  return {
    run: async (...asked) => (await load()).run(...asked),
    close: async () => (await loaded())?.close(),
  };
}

/** Loads the persistent shells with the first command that runs in one. Windows only show shells of this machine. */
export function lazyShells({
  isElsewhere,
  environment,
}: Pick<Workspace, "isElsewhere" | "environment">): ShellTable {
  let table: ShellTable | undefined;
  const { load, loaded } = loadOnce(async () => {
    if (isElsewhere && !environment.keepsShells)
      throw new ToolError("unsupported", "The environment of this workspace keeps no shells open", {
        hint: "Leave out `session`, and join dependent commands with &&.",
      });
    const { openShells } = await import("../environment/shells/open-shells.ts");
    table = openShells({ tmux: isElsewhere ? "never" : "auto" });
    return table;
  });
  return {
    forCall: (call) => ({ run: async (...command) => (await load()).forCall(call).run(...command) }),
    list: () => table?.list() ?? [],
    history: (name) => table?.history(name),
    stop: async (name) => (await load()).stop(name),
    stopOf: async (caller) => (await loaded())?.stopOf(caller),
    close: async () => (await loaded())?.close(),
  };
}
