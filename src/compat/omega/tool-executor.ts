import { dirname, resolve } from "node:path";
import type { ToolSource } from "../../contract/source.ts";
import type { AnyTool } from "../../contract/tool.ts";
import { defineTools, type ToolDefinition } from "../../dialects/definition.ts";
import { omegaDialect } from "../../dialects/omega.ts";
import { connectHub } from "../../mcp/hub/connect-hub.ts";
import type { ServerConfiguration } from "../../mcp/hub/settings/server-configuration.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../toolcrib/index.ts";

/** How a tool call ended. */
export interface ToolResult {
  readonly content: string;
  readonly isError: boolean;
}

/** An MCP server to connect to. */
export interface McpServer extends ServerConfiguration {
  readonly name: string;
}

/**
 * Of the room that the tools run in. It is embedded in provider loops, where nobody can be asked: mode `yolo` if not said.
 * What is protected or secret stays refused in it, and commands stay in their sandbox.
 */
export interface ToolExecutorOptions
  extends Omit<ToolcribOptions, "workspace" | "dialect" | "sources" | "environment"> {
  /** Told what failed without ending anything; else Node's own warnings tell it. */
  readonly warn?: (message: string) => void;
}

/** Runs the built-in tools, and routes all other calls to the MCP server that offers them. */
export class ToolExecutor implements AsyncDisposable {
  /** Where commands run, and what relative paths are relative to. */
  readonly workspacePath: string;
  /** The directory that the workspace is in. */
  readonly dataDir: string;
  readonly #options: Omit<ToolcribOptions, "sources">;
  readonly #warn: (message: string) => void;
  #servers = new JoinedSources();
  #room: Promise<Toolcrib> | undefined;
  #mcpTools: readonly ToolDef[] = [];

  constructor(workspacePath: string, options: ToolExecutorOptions = {}) {
    const { warn = (message) => process.emitWarning(message, "ToolcribWarning"), ...room } = options;
    this.workspacePath = resolve(workspacePath);
    this.dataDir = dirname(this.workspacePath);
    this.#warn = warn;
    this.#options = {
      mode: "yolo",
      ...room,
      workspace: this.workspacePath,
      dialect: "omega",
    };
  }

  /** Connects to all of them at once. One that fails is warned of; the others, and what was connected before, go on. */
  async connectMcpServers(servers: readonly McpServer[]): Promise<void> {
    const configurations = Object.fromEntries(
      servers.map(({ name, ...configuration }) => [name, configuration]),
    );
    const { stateDirectory } = this.#options;
    const hub = connectHub({
      servers: configurations,
      workspace: this.workspacePath,
      ...(stateDirectory === undefined ? {} : { stateDirectory }),
    });
    const owners = new Map(this.#servers.tools.map(({ name, server }) => [name, server]));
    this.#servers.add(hub);
    await hub.ready;
    const taken = hub.tools.flatMap((tool) => describeTaken(tool, owners.get(tool.name)));
    for (const warning of [...hub.warnings, ...taken]) this.#warn(warning);
    await this.#listMcpTools(await this.#open());
  }

  /** The four built-in tools, then those of all connected servers. */
  allToolDefs(): readonly ToolDef[] {
    return [...builtinToolDefs(), ...this.#mcpTools];
  }

  /** Calls a tool; built-in ones whatever the case of their names. Never rejects: failures are results. */
  async execute(
    toolName: string,
    args: unknown,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ToolResult> {
    try {
      const room = await this.#open();
      const { content, isError } = await room.call(toolName, args, options);
      return { content, isError };
    } catch (error) {
      const { message, hint } = error as Error & { readonly hint?: string };
      return { content: [message, hint].filter(Boolean).join("\n"), isError: true };
    }
  }

  /** Ends all servers, and whatever else runs. May be called twice; a later call of a built-in tool begins anew. */
  async shutdownMcp(): Promise<void> {
    const room = this.#room;
    this.#room = undefined;
    this.#mcpTools = [];
    const servers = this.#servers;
    this.#servers = new JoinedSources();
    await servers.close();
    await (await room?.catch(() => undefined))?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdownMcp();
  }

  #open(): Promise<Toolcrib> {
    this.#room ??= openToolcrib({ ...this.#options, sources: [this.#servers] }).then(
      (room) => {
        room.onToolsChange(() => void this.#listMcpTools(room));
        return room;
      },
      (error: unknown) => {
        this.#room = undefined;
        throw error;
      },
    );
    return this.#room;
  }

  async #listMcpTools(room: Toolcrib): Promise<void> {
    const definitions = await room.definitions({ which: "all" });
    const theirs = definitions.filter((tool) => !isBuiltin(tool) && !finders.has(tool.canonical));
    if (this.#room !== undefined) this.#mcpTools = theirs.map(toToolDef);
  }
}

/** As within a hub: who came first keeps the plain name. */
function describeTaken({ name, canonical, server }: AnyTool, owner: string | undefined): readonly string[] {
  if (owner === undefined || name === canonical) return [];
  return [`"${name}" is the tool of the MCP server ${owner}; that of ${server} is ${canonical}.`];
}

/** All tools are told of here, however many there are. */
const finders: ReadonlySet<string> = new Set(["tools.find", "tools.call"]);

/** A tool as any provider's format can be made of it. */
export interface ToolDef {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

// Loaded with this module, so that they can be asked for without waiting, as in Omega.
const own = omegaDialect.tools.filter(({ needs }) => needs === undefined);
const builtins = defineTools(await Promise.all(own.map((tool) => tool.load()))).map(toToolDef);

/** `bash`, `read`, `write` and `edit`, whoever executes them. */
export function builtinToolDefs(): readonly ToolDef[] {
  return structuredClone(builtins);
}

function isBuiltin({ name }: Pick<ToolDef, "name">): boolean {
  return builtins.some((tool) => tool.name === name);
}

function toToolDef({ name, description, inputSchema }: ToolDefinition): ToolDef {
  return { name, description, parameters: inputSchema };
}

/** Sources that come one after the other and go together. */
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
    source.onChange(() => this.#tell());
    this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const sources = this.#sources;
    this.#sources = [];
    this.#tell();
    await Promise.all(sources.map((source) => source.close()));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
