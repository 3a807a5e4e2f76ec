/** The types that users of `toolcrib/mcp` see; none needs the MCP SDK. */

/** A tool as its server tells of it; only its name is sure to be one. */
export interface ListedTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

/** Puts a server's question to the person. */
export type Elicit = (question: {
  readonly server: string;
  readonly message: string;
  /** As the server asked: `requestedSchema` is that of the answer. */
  readonly params: ElicitParameters;
}) => Promise<ElicitAnswer>;

export interface ElicitParameters {
  readonly message: string;
  readonly requestedSchema?: object;
}

export interface ElicitAnswer {
  action: "accept" | "decline" | "cancel";
  /** By the names of the schema's properties. */
  content?: Record<string, string | number | boolean | string[]>;
}

/** How one server is, for people. */
export interface ServerState {
  readonly name: string;
  readonly state: "waiting" | "starting" | "ready" | "restarting" | "failed" | "closed";
  readonly reach: "stdio" | "http";
  /** How many are on offer. */
  readonly tools: number;
  /** What it calls itself. */
  readonly version: string | undefined;
  /** The revision of the protocol that is spoken. */
  readonly protocol: string | undefined;
  readonly pid: number | undefined;
  /** Why it is not ready, or what had to be left out, a sentence each. */
  readonly problems: readonly string[];
  /** The last lines of its standard error. */
  readonly said: readonly string[];
  /** Lines of its output that were no messages. */
  readonly junkLines: number;
}

/** What a server says of itself. */
export interface ServerIdentity {
  readonly version: string;
  readonly instructions?: string | undefined;
}
