/** The types that users of `toolcrib/mcp` see; none needs the MCP SDK. */

/** A tool as its server lists it. Only `name` has been checked. */
export interface ListedTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

/** Asks the user the question of a server. */
export type Elicit = (question: {
  readonly server: string;
  readonly message: string;
  /** The parameters of the server's request; `requestedSchema` describes the answer. */
  readonly params: ElicitParameters;
  /** Aborted when the answer is no longer wanted: the call has ended, or the server has cancelled the question or ended. */
  readonly signal: AbortSignal;
}) => Promise<ElicitAnswer>;

export interface ElicitParameters {
  readonly message: string;
  readonly requestedSchema?: object | undefined;
}

export interface ElicitAnswer {
  action: "accept" | "decline" | "cancel";
  /** Values by the names of the schema's properties. */
  content?: Record<string, string | number | boolean | string[]>;
}

/** The state of one server, as shown to users. */
export interface ServerState {
  readonly name: string;
  readonly state: "waiting" | "starting" | "ready" | "restarting" | "failed" | "closed";
  readonly reach: "stdio" | "http";
  /** How many tools the server offers. */
  readonly tools: number;
  /** The server's name and version. */
  readonly version: string | undefined;
  /** The protocol revision in use. */
  readonly protocol: string | undefined;
  readonly pid: number | undefined;
  /** Why it is not ready, or which tools are skipped. */
  readonly problems: readonly string[];
  /** The command with which the user has to log in first. */
  readonly login?: string | undefined;
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /** Lines of its output that were not messages. */
  readonly junkLines: number;
}

/** A resource that a server lists. */
export interface OfferedResource extends OfferDescription {
  /** The server's own address. */
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** A pattern of addresses of resources. */
export interface OfferedTemplate extends OfferDescription {
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
}

export interface OfferedPrompt extends OfferDescription {
  /** Unique in the hub: "server__prompt". */
  readonly name: string;
  /** The server's own name for it. */
  readonly ownName: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

interface OfferDescription {
  readonly server: string;
  readonly title?: string;
  readonly description?: string;
}

/**
 * The resources and prompts of other servers. Lists never reject: a server that fails is left out. Reading a resource
 * and getting a prompt are calls of the hub's `unlisted` tools, about which rules decide.
 */
export interface Offers {
  /** Whether a server of this name is configured. */
  has(server: string): boolean;
  resources(): Promise<readonly OfferedResource[]>;
  templates(): Promise<readonly OfferedTemplate[]>;
  prompts(): Promise<readonly OfferedPrompt[]>;
  /** Calls `listener` when a server reports that its resource has changed. Resolves to a function that stops it. */
  subscribe(server: string, uri: string, listener: () => void): Promise<() => void>;
  /** Calls `listener` after changes of a list. Returns a function that stops it. */
  onChange(listener: (kind: "resources" | "prompts") => void): () => void;
}

/** How the server introduces itself to clients. */
export interface ServerIdentity {
  /** Default: the name and version of Toolcrib. */
  readonly serverInfo?: ServerInfo | undefined;
  /** Instructions for the client's model. */
  readonly instructions?: string | undefined;
  /** Offers the commands and skills of the project and the user as prompts. Default: no prompts. */
  readonly prompts?: PromptOptions | undefined;
}

export interface PromptOptions {
  /** Where the user's commands and skills are. Default: the XDG config directory and the folders of other agents. */
  readonly configDirectory?: string | undefined;
}

/** The name of a server, as clients show and log it. */
export interface ServerInfo {
  readonly name: string;
  readonly title?: string | undefined;
  readonly version: string;
}

export interface QuestionOptions {
  /** How long a question waits for its answer. Default: 600 s. */
  readonly questionSeconds?: number | undefined;
  /**
   * A form that is declined faster than this was declined by the client, not by its user, as headless clients do: the
   * approval stays pending. Default: 500 ms.
   */
  readonly reflexMs?: number | undefined;
}

export interface TaskOptions {
  /** A call that takes longer becomes a task if the client supports tasks. Default: 2 s. */
  readonly taskAfterMs?: number | undefined;
}
