import type { Dialect } from "../dialects/dialect.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Model, ReasoningEffort, Usage } from "../models/model.ts";
import type { CallResult, Toolcrib, ToolcribOptions } from "../toolcrib/index.ts";
import type { AgentEvent, ContextUse, Protocol, SessionState, TurnResult } from "./event.ts";

/** How a session is begun, or gone on with. What it shares with `openToolcrib` means the same. */
export interface SessionOptions extends Omit<ToolcribOptions, "agents" | "dialect" | "session"> {
  /** `provider/name`, or one that is open already; of a session that is gone on with, the one it had, if not said. */
  readonly model?: string | Model | undefined;
  /** The one that the model was trained on, if not said. */
  readonly dialect?: string | Dialect;
  /** By the provider's own means, unless the model has none. */
  readonly protocol?: Protocol | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  /** The person's own instructions, which come last in the system prompt. */
  readonly instructions?: string | undefined;
  /** Whether AGENTS.md and its like are read; they are, if not said. */
  readonly projectInstructions?: boolean | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
  readonly hooks?: SessionHooks | undefined;
  /** Goes on with this session. */
  readonly resume?: string | undefined;
  /** Begins a new one with the conversation of another, up to the end of a turn; of its last, if not said. */
  readonly fork?: { readonly session: string; readonly turn?: number | undefined } | undefined;
  /** Spans by `@opentelemetry/api`, where that is installed. */
  readonly telemetry?: boolean | undefined;
}

export interface SessionLimits {
  /** How often the model is asked in one turn. */
  readonly rounds: number;
  /** Turns of the whole session. */
  readonly turns: number;
  /** Tokens of the whole session, read and written. */
  readonly tokens: number;
  /** US dollars of the whole session, where prices are known. */
  readonly cost: number;
  /** How often a reply is asked for again. */
  readonly retries: number;
  /** The longest wait between two of them, also where the provider asks for more. */
  readonly retryWaitMs: number;
  /** A reply of which nothing comes for so long is given up. */
  readonly silenceMs: number;
  /** How deep subagents may have subagents; 0: none. */
  readonly agentDepth: number;
  /** How many subagents may be open at a time. */
  readonly agents: number;
}

/** Calls of the program that made the session, around each call of the model. What they throw fails the call, not the session. */
export interface SessionHooks {
  /** May give other arguments, or an answer instead of the call. */
  beforeCall?(call: HookedCall): Promise<HookDecision | undefined> | HookDecision | undefined;
  /** May give other words for the model. */
  afterCall?(call: HookedCall, result: CallResult): Promise<string | undefined> | string | undefined;
}

export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly canonical: string;
  readonly input: unknown;
}

export type HookDecision = { readonly input: unknown } | { readonly refuse: string };

/** One conversation with a model that has tools. Close it when done. */
export interface Session {
  /** Also that of its room: its calls are in the journal under it. */
  readonly id: string;
  readonly state: SessionState;
  readonly model: Model;
  readonly reasoning: ReasoningEffort | undefined;
  readonly dialect: string;
  readonly protocol: Protocol;
  /** The system prompt. */
  readonly system: string;
  /** The conversation so far. The list itself, which grows: copy it to keep it. */
  readonly messages: readonly Message[];
  /** Turns that have begun. */
  readonly turns: number;
  readonly usage: Usage;
  /** US dollars; null where the price of a model is not known. */
  readonly cost: number | null;
  readonly context: ContextUse;
  /** The room that its tools come from. */
  readonly crib: Toolcrib;
  /**
   * Begins a turn. `unavailable` while another goes on, and after the end. What is pinned stays word for word when the
   * conversation is made shorter, as the first task does.
   */
  run(input: string | UserMessage["content"], options?: { readonly isPinned?: boolean }): Turn;
  /** Tells the model something between two rounds of the turn that goes on; begins one if none does. */
  steer(text: string): void;
  /** Is asked when the turn that goes on has ended. */
  followUp(text: string): void;
  /** Ends the turn that goes on, everything it started and all subagents; settles when they have. The session can go on. */
  abort(): Promise<void>;
  /** From the next round on. */
  use(change: { readonly model?: string | Model; readonly reasoning?: ReasoningEffort }): Promise<void>;
  /**
   * Makes the conversation shorter; whether it could be. In a turn it waits for the next round, and so must not be waited for in
   * a hook or a tool.
   */
  compact(): Promise<boolean>;
  /** Hears of everything, subagents included; the answer stops it. */
  on(listener: (event: AgentEvent) => void): () => void;
  /** Ends all and settles when it has ended; not to be waited for in a hook or a tool, which is a part of that. */
  close(): Promise<void>;
}

/**
 * A turn that goes on. An iteration gives what happens from its beginning on, to the end of the turn and of those that follow
 * it up; whoever begins it in the same breath as the turn misses nothing. Who leaves it early ends the turn.
 */
export interface Turn extends AsyncIterable<AgentEvent> {
  /** How this turn ended, whatever follows it up. Never rejects. */
  readonly result: Promise<TurnResult>;
}
