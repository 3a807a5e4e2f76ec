import { dirname, resolve } from "node:path";
import type { AnyTool, ToolSource } from "../../contract/tool.ts";
import { defineTools, type ToolDefinition } from "../../dialects/definition.ts";
import { omegaDialect } from "../../dialects/omega.ts";
import { connectHub, type Hub } from "../../mcp/hub/connect-hub.ts";
import type { ServerConfiguration } from "../../mcp/hub/settings/read-settings.ts";
import type { ServerState } from "../../mcp/types.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

export interface ToolResult {
  readonly content: string;
  readonly isError: boolean;
}

export interface McpServer extends ServerConfiguration {
  readonly name: string;
}

/** A connected server: its name, number of tools and protocol. */
export type McpClient = Pick<ServerState, "name" | "reach" | "tools" | "version" | "protocol" | "pid">;

/**
 * Options of the instance. Provider loops cannot ask the user, so the default mode is `yolo`. Protected and secret files
 * stay refused, and commands stay in their sandbox.
 */
export interface ToolExecutorOptions
  extends Omit<ToolcribOptions, "workspace" | "dialect" | "sources" | "environment"> {
  /** Called with problems that end nothing. Default: `process.emitWarning`. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Runs the built-in tools, and routes all other calls to the MCP server that offers them. */
export class ToolExecutor implements AsyncDisposable {
  /** Where commands run, and the base of relative paths. */
  readonly workspacePath: string;
  /** The directory that contains the workspace. */
  readonly dataDir: string;
  readonly #options: Omit<ToolcribOptions, "sources">;
  readonly #warn: (message: string) => void;
  #servers = new JoinedSources();
  #crib: Promise<Toolcrib> | undefined;
  #hubs: readonly Hub[] = [];
  #mcpTools: readonly ToolDefinition[] = [];

  constructor(workspacePath: string, options: ToolExecutorOptions = {}) {
    const { warn = (message) => process.emitWarning(message, "ToolcribWarning"), ...crib } = options;
    this.workspacePath = resolve(workspacePath);
    this.dataDir = dirname(this.workspacePath);
    this.#warn = warn;
    this.#options = { mode: "yolo", ...crib, workspace: this.workspacePath, dialect: "omega" };
  }

  /** Connects to all servers at once. A failed one is reported; the others, and earlier connections, stay. */
  async connectMcpServers(wanted: readonly McpServer[]): Promise<void> {
    const servers = Object.fromEntries(wanted.map(({ name, ...configuration }) => [name, configuration]));
    const { stateDirectory } = this.#options;
    const hub = connectHub({ servers, workspace: this.workspacePath, stateDirectory });
    const owners = new Map(this.#servers.tools.map(({ name, server }) => [name, server]));
    this.#servers.add(hub);
    this.#hubs = [...this.#hubs, hub];
    await hub.ready;
    const taken = hub.tools.flatMap((tool) => describeTaken(tool, owners.get(tool.name)));
    for (const warning of [...hub.warnings, ...taken]) this.#warn(warning);
    await this.#listMcpTools(await this.#open());
  }

  /** The connected servers by name. */
  get mcpClients(): ReadonlyMap<string, McpClient> {
    const states = this.#hubs.flatMap((hub) => hub.states());
    return new Map(states.filter(({ state }) => state === "ready").map((client) => [client.name, client]));
  }

  /** The servers by the names of their tools, as `execute` takes them. */
  get mcpToolMap(): ReadonlyMap<string, string> {
    const owners = new Map(
      this.#servers.tools.map(({ name, canonical = name, server }) => [canonical, server]),
    );
    return new Map(this.#mcpTools.map(({ name, canonical }) => [name, owners.get(canonical) ?? ""]));
  }

  /** Returns the four built-in tools, then those of all connected servers. */
  allToolDefs(): readonly ToolDef[] {
    return [...builtinToolDefs(), ...this.#mcpTools.map(toToolDef)];
  }

  /** Calls a tool; names of built-in tools ignore case. Never rejects: failures are results. */
  async execute(
    toolName: string,
    args: unknown,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ToolResult> {
    try {
      const crib = await this.#open();
      const { content, isError } = await crib.call(toolName, args, { ...options, onlyOffered: true });
      return { content, isError };
    } catch (error) {
      const { message, hint } = error as Error & { readonly hint?: string | undefined };
      return { content: [message, hint].filter(Boolean).join("\n"), isError: true };
    }
  }

  /** Ends all servers and everything else. May be called twice; a later call of a built-in tool opens a new instance. */
  async shutdownMcp(): Promise<void> {
    const crib = this.#crib;
    this.#crib = undefined;
    this.#mcpTools = [];
    this.#hubs = [];
    const servers = this.#servers;
    this.#servers = new JoinedSources();
    await servers.close();
    await (await crib?.catch(() => undefined))?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdownMcp();
  }

  #open(): Promise<Toolcrib> {
    this.#crib ??= openToolcrib({ ...this.#options, sources: [this.#servers] }).then(
      (crib) => {
        crib.onToolsChange(() => void this.#listMcpTools(crib));
        return crib;
      },
      (error: unknown) => {
        this.#crib = undefined;
        throw error;
      },
    );
    return this.#crib;
  }

  async #listMcpTools(crib: Toolcrib): Promise<void> {
    const definitions = await crib.definitions({ which: "all" });
    const isTheirs = ({ name, canonical }: ToolDefinition) =>
      !builtins.some((tool) => tool.name === name) && !finders.has(canonical);
    if (this.#crib !== undefined) this.#mcpTools = definitions.filter(isTheirs);
  }
}

/** Describes a name that another server's tool has: as in a hub, the first tool keeps the plain name. */
function describeTaken({ name, canonical, server }: AnyTool, owner: string | undefined): readonly string[] {
  if (owner === undefined || name === canonical) return [];
  return [`"${name}" is a tool of the MCP server ${owner}; that of ${server} is ${canonical}.`];
}

/** Omega needs no tools that find others, because it lists all tools. */
const finders: ReadonlySet<string> = new Set(["tools.find", "tools.call"]);

/** A tool definition in a neutral format. */
export interface ToolDef {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

// The tools are loaded with this module, because Omega returns them synchronously.
const own = omegaDialect.tools.filter(({ needs }) => needs === undefined);
const builtins = defineTools(await Promise.all(own.map((tool) => tool.load()))).map(toToolDef);

/** Returns `bash`, `read`, `write` and `edit`. */
export function builtinToolDefs(): readonly ToolDef[] {
  return structuredClone(builtins);
}

function toToolDef({ name, description, inputSchema }: ToolDefinition): ToolDef {
  return { name, description, parameters: inputSchema };
}

/** Several sources as one, added over time and closed together. */
class JoinedSources implements ToolSource {
  readonly #listeners = new Set<() => void>();
  #sources: readonly ToolSource[] = [];

  get tools(): ToolSource["tools"] {
    return this.#sources.flatMap(({ tools }) => tools);
  }

  get warnings(): readonly string[] {
    return this.#sources.flatMap(({ warnings }) => warnings);
  }

  get ready(): Promise<void> {
    return Promise.all(this.#sources.map(({ ready }) => ready)).then(() => {});
  }

  add(source: ToolSource): void {
    this.#sources = [...this.#sources, source];
    source.onChange(() => this.#emit());
    this.#emit();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const sources = this.#sources;
    this.#sources = [];
    this.#emit();
    await Promise.all(sources.map((source) => source.close()));
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
