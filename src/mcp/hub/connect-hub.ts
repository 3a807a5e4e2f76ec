import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolSource } from "../../contract/tool.ts";
import { realWorkspace, userDirectories, workspaceFiles } from "../../system/directories.ts";
import type { Elicit, ListedTool, ServerState } from "../types.ts";
import { HubServer } from "./hub-server.ts";
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
 * Connects to other MCP servers, all at once, when their tools are first needed. A server that fails, hangs, lies or floods
 * harms no other: its tools are missing, and `warnings` and `states` say why.
 */
export function connectHub(options: HubOptions): Hub {
  return new ConnectedHub(options);
}

class ConnectedHub implements Hub {
  readonly #startAfter: HubOptions["startAfter"];
  readonly #servers: readonly HubServer[];
  readonly #unusable: string[];
  readonly #listeners = new Set<() => void>();
  /** Which server a short name belongs to, for as long as the hub lives. */
  readonly #owners = new Map<string, string>();
  #tools: readonly AnyTool[] = [];
  #collisions: readonly string[] = [];
  #starting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #isSettled = false;

  constructor(options: HubOptions) {
    this.#startAfter = options.startAfter;
    this.#unusable = [...(options.warnings ?? [])];
    // A server started by another hub, perhaps for this very folder, would start further ones without end.
    const isStartedByHub = process.env[hubVariable] !== undefined && Object.keys(options.servers).length > 0;
    if (isStartedByHub)
      this.#unusable.push("No MCP servers are started: this Toolcrib is itself one of another.");
    this.#servers = isStartedByHub ? [] : this.#openServers(options);
  }

  get tools(): readonly AnyTool[] {
    void this.#begin();
    return this.#tools;
  }

  get warnings(): readonly string[] {
    return [...this.#unusable, ...this.#servers.flatMap(warningsOf), ...this.#collisions];
  }

  get ready(): Promise<void> {
    return this.#begin();
  }

  onChange(listener: () => void): () => void {
    void this.#begin();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  listed(name: string): readonly ListedTool[] {
    return this.#servers.find(({ settings }) => settings.name === name)?.listed ?? [];
  }

  states(): readonly ServerState[] {
    return this.#servers.map(({ state }) => state);
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all(this.#servers.map((server) => server.close())).then(() => {});
    return this.#closed;
  }

  #openServers(options: HubOptions): readonly HubServer[] {
    const workspace = realWorkspace(options.workspace);
    const { variables = process.env, stateDirectory = userDirectories().state, restartMs = 1_000 } = options;
    const startRecords = workspaceFiles(stateDirectory, workspace).started;
    const { elicit } = options;
    const serverOptions = { workspace, startRecords, restartMs, elicit, onChange: () => this.#rebuild() };
    return Object.entries(options.servers).flatMap(([name, given]) => {
      try {
        const settings = readSettings(name, given, { workspace, variables });
        return settings === "disabled" ? [] : [new HubServer(settings, serverOptions)];
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        this.#unusable.push(`The MCP server ${name} is left out: ${error.message}.`);
        return [];
      }
    });
  }

  #begin(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    await this.#startAfter?.catch(() => {});
    if (this.#closed !== undefined) return;
    await Promise.all(this.#servers.map((server) => server.start()));
    this.#isSettled = true;
    this.#rememberNames();
  }

  #rebuild(): void {
    const lists = this.#servers.map(({ settings, tools }) => ({
      server: settings.name,
      tools: [...tools.keys()],
    }));
    const named = nameTools(lists, this.#owners);
    const byName = new Map(this.#servers.map((server) => [server.settings.name, server]));
    const before = new Map(this.#tools.map((tool) => [tool.canonical, tool]));
    const after = named.tools.flatMap(({ server, ownName, longName, name }): readonly AnyTool[] => {
      const tool = byName.get(server)?.tools.get(ownName);
      const known = before.get(longName);
      if (tool === undefined) return [];
      return [
        known?.name === name && known.run === tool.run ? known : { ...tool, name, canonical: longName },
      ];
    });
    const isSame =
      after.length === this.#tools.length && after.every((tool, index) => tool === this.#tools[index]);
    this.#tools = after;
    // Until every server has listed its tools, the first one is a matter of luck.
    if (this.#isSettled) this.#rememberNames();
    this.#collisions = named.warnings;
    if (!isSame) for (const listener of this.#listeners) listener();
  }

  #rememberNames(): void {
    for (const { name, canonical } of this.#tools)
      if (name !== canonical && canonical !== undefined && !this.#owners.has(name))
        this.#owners.set(name, canonical);
  }
}

function warningsOf({ state: { name, problems } }: HubServer): readonly string[] {
  return problems.map((problem) => `The MCP server ${name}: ${problem}.`);
}
