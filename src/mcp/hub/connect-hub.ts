import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolSource } from "../../contract/tool.ts";
import { realWorkspace, userDirectories, workspaceFiles } from "../../system/directories.ts";
import { HubServer, type ServerState } from "./hub-server.ts";
import type { Elicit, ListedTool } from "./hub-tool.ts";
import { readSettings, type ServerConfiguration } from "./settings/read-settings.ts";
import { nameTools } from "./tool-names.ts";
import { hubVariable } from "./transport/stdio-transport.ts";

export interface HubOptions {
  /** By name, as in `mcp.json`. */
  readonly servers: Readonly<Record<string, ServerConfiguration>>;
  /** What servers on this machine start in, and are told of as their root. */
  readonly workspace: string;
  /** What a person has to know already: of the files that the servers stand in. */
  readonly warnings?: readonly string[];
  /** What "${NAME}" stands for; our environment variables if not said. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Where it is noted what runs; below the XDG state directory if not said. */
  readonly stateDirectory?: string;
  /** Nothing is started before: what has to answer first is not slowed by it. */
  readonly startAfter?: Promise<unknown>;
  /** How long to wait before a server that has ended is started again; a second if not said, twice as long each time. */
  readonly restartMs?: number;
  /** Puts servers' questions to the person; without it they are told that nobody can be asked. */
  readonly elicit?: Elicit;
}

/** The tools of other MCP servers. */
export interface Hub extends ToolSource {
  /** How each server is, in the order of the configuration. */
  states(): readonly ServerState[];
  /** The tools of a server as it tells of them itself, nothing repaired, renamed or left out. */
  listed(server: string): readonly ListedTool[];
}

/**
 * Connects to other MCP servers, all at once, as soon as somebody wants their tools. One that fails, hangs, lies or talks
 * without end harms no other: its tools are missing, and `warnings` and `states` say why.
 */
export function connectHub(options: HubOptions): Hub {
  const workspace = realWorkspace(options.workspace);
  const { variables = process.env, stateDirectory = userDirectories().state, restartMs = 1_000 } = options;
  const startRecords = workspaceFiles(stateDirectory, workspace).started;
  const listeners = new Set<() => void>();
  const unusable: string[] = [...(options.warnings ?? [])];
  const owners = new Map<string, string>();
  let tools: readonly AnyTool[] = [];
  let collisions: readonly string[] = [];
  let starting: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  let isSettled = false;

  // One that another hub has started, maybe of this very folder, would start others for ever.
  const isStartedByHub = process.env[hubVariable] !== undefined && Object.keys(options.servers).length > 0;
  if (isStartedByHub) unusable.push("No MCP servers are started: this Toolcrib is itself one of another.");
  const servers = Object.entries(isStartedByHub ? {} : options.servers).flatMap(([name, given]) => {
    try {
      const settings = readSettings(name, given, { workspace, variables });
      const { elicit } = options;
      const serverOptions = { workspace, startRecords, restartMs, elicit, onChange: () => rebuild() };
      return settings === "disabled" ? [] : [new HubServer(settings, serverOptions)];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      unusable.push(`The MCP server ${name} is left out: ${error.message}.`);
      return [];
    }
  });

  const rebuild = () => {
    const lists = servers.map(({ settings, tools: own }) => ({
      server: settings.name,
      tools: [...own.keys()],
    }));
    const named = nameTools(lists, owners);
    const byName = new Map(servers.map((server) => [server.settings.name, server]));
    const before = new Map(tools.map((tool) => [tool.canonical, tool]));
    const after = named.tools.flatMap(({ server, ownName, longName, name }): readonly AnyTool[] => {
      const tool = byName.get(server)?.tools.get(ownName);
      const known = before.get(longName);
      if (tool === undefined) return [];
      return [
        known?.name === name && known.run === tool.run ? known : { ...tool, name, canonical: longName },
      ];
    });
    const isSame = after.length === tools.length && after.every((tool, index) => tool === tools[index]);
    tools = after;
    // Until all have told theirs, who comes first is a matter of luck.
    if (isSettled) keepNames();
    collisions = named.warnings;
    if (!isSame) for (const listener of listeners) listener();
  };
  const keepNames = () => {
    for (const { name, canonical } of tools)
      if (name !== canonical && canonical !== undefined && !owners.has(name)) owners.set(name, canonical);
  };
  const begin = () => {
    starting ??= (async () => {
      await options.startAfter?.catch(() => {});
      if (closed !== undefined) return;
      await Promise.all(servers.map((server) => server.start()));
      isSettled = true;
      keepNames();
    })();
    return starting;
  };

  return {
    get tools() {
      void begin();
      return tools;
    },
    get warnings() {
      return [...unusable, ...servers.flatMap(warningsOf), ...collisions];
    },
    get ready() {
      return begin();
    },
    onChange: (listener) => {
      void begin();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    listed: (name) => servers.find(({ settings }) => settings.name === name)?.listed ?? [],
    states: () => servers.map(({ state }) => state),
    close: () => {
      closed ??= Promise.all(servers.map((server) => server.close())).then(() => {});
      return closed;
    },
  };
}

function warningsOf({ state: { name, problems } }: HubServer): readonly string[] {
  return problems.map((problem) => `The MCP server ${name}: ${problem}.`);
}
