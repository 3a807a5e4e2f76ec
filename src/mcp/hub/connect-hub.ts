import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolSource } from "../../contract/tool.ts";
import { realWorkspace, userDirectories, workspaceFiles } from "../../system/directories.ts";
import type { Elicit, ListedTool, Offers, ServerState } from "../types.ts";
import { HubServer } from "./hub-server.ts";
import { type HubTimes, usualTimes } from "./hub-times.ts";
import { LoginStore } from "./oauth/login-store.ts";
import { HubOffers } from "./offers/hub-offers.ts";
import { readSettings, type ServerConfiguration } from "./settings/read-settings.ts";
import { nameTools } from "./tool-names.ts";
import { hubVariable } from "./transport/stdio-transport.ts";

export interface HubOptions {
  /** The servers by name, as in `mcp.json`. */
  readonly servers: Readonly<Record<string, ServerConfiguration>>;
  /** The folder in which local servers start, and their root. */
  readonly workspace: string;
  /** Warnings about the configuration files. */
  readonly warnings?: readonly string[] | undefined;
  /** The values of "${NAME}". Default: the environment variables of this process. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** Where running servers are recorded, and logins are stored. Default: the XDG state directory. */
  readonly stateDirectory?: string | undefined;
  /** No server starts before this settles. */
  readonly startAfter?: Promise<unknown> | undefined;
  /** How long the hub waits for its servers. */
  readonly times?: Partial<HubTimes> | undefined;
  /** Asks the user what servers want to know; without it, elicitation is refused. */
  readonly elicit?: Elicit | undefined;
}

/** The tools of other MCP servers. */
export interface Hub extends ToolSource, AsyncDisposable {
  /** Returns the state of each server, in the order of the configuration. */
  states(): readonly ServerState[];
  /** Restarts a server, also one that was given up. Resolves when it is ready or has failed. */
  reconnect(server: string): Promise<void>;
  /** The resources and prompts of the servers. */
  readonly offers: Offers;
  /** Returns the tools as the server lists them, before any is repaired, renamed or left out. */
  listed(server: string): readonly ListedTool[];
}

/**
 * Connects to other MCP servers in parallel when their tools are first needed. A server that fails, hangs, lies or
 * floods does not affect the others: its tools are missing, and `warnings` and `states` say why.
 */
export function connectHub(options: HubOptions): Hub {
  return new ConnectedHub(options);
}

class ConnectedHub implements Hub {
  readonly #startAfter: HubOptions["startAfter"];
  readonly #servers: readonly HubServer[];
  readonly #unusable: string[];
  readonly #listeners = new Set<() => void>();
  /** The server that a short name belongs to, until the hub is closed. */
  readonly #owners = new Map<string, string>();
  #tools: readonly AnyTool[] = [];
  #collisions: readonly string[] = [];
  #starting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #isSettled = false;
  readonly offers = new HubOffers(() => this.#servers);

  constructor(options: HubOptions) {
    this.#startAfter = options.startAfter;
    this.#unusable = [...(options.warnings ?? [])];
    // A server that another hub started could start further servers endlessly.
    const isStartedByHub = process.env[hubVariable] !== undefined && Object.keys(options.servers).length > 0;
    if (isStartedByHub)
      this.#unusable.push(
        "No MCP servers are started: this Toolcrib is itself the MCP server of another one.",
      );
    this.#servers = isStartedByHub ? [] : this.#openServers(options);
  }

  get tools(): readonly AnyTool[] {
    void this.ready;
    return this.#tools;
  }

  get unlisted(): readonly AnyTool[] {
    return this.#servers.flatMap(({ requestTools }) => requestTools);
  }

  get warnings(): readonly string[] {
    const ofServers = this.#servers.flatMap(({ state: { name, problems } }) =>
      problems.map((problem) => `The MCP server ${name}: ${problem}.`),
    );
    return [...this.#unusable, ...ofServers, ...this.#collisions];
  }

  get ready(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  onChange(listener: () => void): () => void {
    void this.ready;
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  listed(name: string): readonly ListedTool[] {
    return this.#servers.find(({ settings }) => settings.name === name)?.listed ?? [];
  }

  async reconnect(name: string): Promise<void> {
    await this.#servers.find(({ settings }) => settings.name === name)?.reconnect();
  }

  states(): readonly ServerState[] {
    return this.#servers.map(({ state }) => state);
  }

  close(): Promise<void> {
    this.offers.close();
    this.#closed ??= Promise.all(this.#servers.map((server) => server.close())).then(() => {});
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #openServers(options: HubOptions): readonly HubServer[] {
    const workspace = realWorkspace(options.workspace);
    const { variables = process.env, elicit } = options;
    const times = { ...usualTimes, ...options.times };
    const state = options.stateDirectory ?? userDirectories().state;
    const startRecords = workspaceFiles(state, workspace).started;
    const logins = new LoginStore(state);
    const onChange = () => this.#rebuild();
    const onOffersChange = (kind: "resources" | "prompts") => this.offers.announce(kind);
    const serverOptions = { workspace, startRecords, times, elicit, logins, onChange, onOffersChange };
    return Object.entries(options.servers).flatMap(([name, given]) => {
      try {
        const settings = readSettings(name, given, { workspace, variables });
        return settings === "disabled" ? [] : [new HubServer(settings, serverOptions)];
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        this.#unusable.push(`The MCP server ${name} is skipped: ${error.message}.`);
        return [];
      }
    });
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
    // Until every server has listed its tools, which one is first depends on timing.
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
