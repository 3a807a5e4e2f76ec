import type { AgentStatus } from "../contract/agents.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Model, ReasoningEffort, Sampling, TokenUsage } from "../models/model.ts";
import type { Toolcrib, ToolcribOptions } from "../toolcrib/index.ts";
import type { OutputOf, OutputSchema } from "./answer-schema.ts";
import type { ContextPart } from "./context/context-parts.ts";
import type { AgentEvent, ContextUse, SessionState, ToolProtocol, TurnResult } from "./event.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { SessionStore } from "./session-store.ts";
import type { Skills } from "./skills.ts";

/** How to start or resume a session. Options shared with `openToolcrib` mean the same. */
export interface SessionOptions extends Omit<ToolcribOptions, "agents" | "dialect" | "session"> {
  /** `provider/name`, or an open model. Default for a resumed session: its last model. */
  readonly model?: string | Model | undefined;
  /** Default: the dialect that the model was trained on. */
  readonly dialect?: string | Dialect | undefined;
  /** Default: native, unless the model cannot call tools. */
  readonly protocol?: ToolProtocol | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  /** The settings of every reply. Default: those of the provider. */
  readonly sampling?: Sampling | undefined;
  /**
   * The system prompt, or a function that changes the built one. It applies to subagents, too. A resumed session keeps
   * the prompt it started with.
   */
  readonly system?: string | ((base: string) => string) | undefined;
  /** The user's own instructions, which come last in the system prompt. */
  readonly instructions?: string | undefined;
  /** Whether AGENTS.md and similar files are read. Default: true. */
  readonly projectInstructions?: boolean | undefined;
  /** Whether the session starts in plan mode. Default: false; for a resumed session, as it was. */
  readonly plan?: boolean | undefined;
  /** Whether the skills of the user and the project are offered to the model. Default: true. */
  readonly skills?: boolean | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
  /** Whether `limits.cost` may be set for models without a known price, which it cannot limit. Default: false. */
  readonly allowUnpriced?: boolean | undefined;
  readonly hooks?: SessionHooks | undefined;
  /** The session to resume. */
  readonly resume?: string | undefined;
  /** Where the conversation is stored. Default: in the journal of the workspace. */
  readonly store?: SessionStore | undefined;
  /** Starts a new session with the conversation of another, up to the end of a turn. Default: its last turn. */
  readonly fork?: { readonly session: string; readonly turn?: number | undefined } | undefined;
  /** Writes spans with `@opentelemetry/api`, if installed. */
  readonly telemetry?: boolean | undefined;
}

export interface SessionLimits {
  /** Requests to the model per turn. */
  readonly rounds: number;
  /** Turns per session. */
  readonly turns: number;
  /** Input and output tokens per session. */
  readonly tokens: number;
  /** US dollars per session, where prices are known. */
  readonly cost: number;
  /** Attempts to repeat a failed request. */
  readonly retries: number;
  /** The longest wait between attempts, even if the provider asks for more. */
  readonly retryWaitMs: number;
  /** A reply is given up when nothing comes for this long. */
  readonly silenceMs: number;
  /**
   * Tokens of the conversation at which old outputs of tools are cleared from it, at the latest at half of the context
   * window; 0 for never.
   */
  readonly clearTokens: number;
  /** How deep subagents may nest; 0 for none. */
  readonly agentDepth: number;
  /** How many subagents may be open at once. */
  readonly agents: number;
}

/** The options of one turn. */
export interface RunOptions {
  /** Whether the input is never compacted, like the first task. */
  readonly isPinned?: boolean | undefined;
  /** Aborts the turn and its follow-ups, as `abort()` does. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The schema of the final answer, which becomes the `output` of the result. The model gets one more attempt when its
   * answer does not match; then the turn fails with `invalid-output`. Follow-ups have no schema.
   */
  readonly output?: OutputSchema | undefined;
}

/** A subagent and its own subagents. */
export interface AgentNode extends AgentStatus {
  readonly task: string;
  readonly agents: readonly AgentNode[];
}

/** A conversation with a model that has tools. Close it when done. */
export interface Session extends AsyncDisposable {
  /** Also the session id of its calls in the journal. */
  readonly id: string;
  readonly state: SessionState;
  readonly model: Model;
  readonly reasoning: ReasoningEffort | undefined;
  readonly dialect: string;
  readonly protocol: ToolProtocol;
  readonly system: string;
  /** The conversation so far. This list grows: copy it to keep it. */
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: TokenUsage;
  /** In US dollars; null when a price is unknown. */
  readonly cost: number | null;
  readonly context: ContextUse;
  /** The shares of the context window. */
  readonly contextParts: readonly ContextPart[];
  /** The usage and cost of each model by its id, subagents included. */
  readonly usageByModel: ReadonlyMap<string, Pick<Session, "usage" | "cost">>;
  /** The subagents since the session was opened, oldest first. */
  readonly agents: readonly AgentNode[];
  /** Whether plan mode is on: the model can only read. */
  readonly isPlanning: boolean;
  readonly skills: Skills;
  /** The instance that its tools come from. */
  readonly toolcrib: Toolcrib;
  /** Starts a turn. Throws `unavailable` while another runs, and after `close`. */
  run<const Schema extends OutputSchema>(
    input: string | UserMessage["content"],
    options: RunOptions & { readonly output: Schema },
  ): Turn<TurnResult & { readonly output: OutputOf<Schema> | null }>;
  run(input: string | UserMessage["content"], options?: RunOptions): Turn;
  /**
   * Continues the last turn of a resumed session that was cut off or suspended, or a turn whose last request failed,
   * without a new message. Throws `unavailable` when the last turn has ended.
   */
  continue(options?: Pick<RunOptions, "signal">): Turn;
  /** Sends a message to the model between two rounds of the running turn, or starts a turn. */
  steer(text: string): void;
  /** Sends a message when the running turn has ended, or starts a turn. */
  followUp(text: string): void;
  /** Aborts the running turn, everything it started and all subagents, and waits for them. The session can continue. */
  abort(): Promise<void>;
  /** Takes effect with the next round. */
  use(change: {
    readonly model?: string | Model | undefined;
    readonly reasoning?: ReasoningEffort | undefined;
  }): Promise<void>;
  /** Turns plan mode on or off, at once. The next request tells the model. */
  setPlanning(isPlanning: boolean): void;
  /**
   * Compacts the conversation; returns whether it succeeded. Waits for the next round, so do not await it in a hook or
   * tool.
   */
  compact(): Promise<boolean>;
  /** Reports all events, subagents included. Returns a function that unsubscribes. */
  on(listener: (event: AgentEvent) => void): () => void;
  /**
   * Closes the session after the running round, or at once when `signal` aborts, and leaves the turn open: `continue` of
   * a session that resumes this one continues it.
   */
  suspend(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for it. Do not await it in a hook or a tool. */
  close(): Promise<void>;
}

/**
 * A running turn. Iterating over it yields its events and those of its follow-ups. An iteration that begins in the same
 * tick as the turn misses nothing; leaving it early aborts the turn.
 */
export interface Turn<Result extends TurnResult = TurnResult> extends AsyncIterable<AgentEvent> {
  /** How this turn ended, without its follow-ups. Never rejects. */
  readonly result: Promise<Result>;
}
