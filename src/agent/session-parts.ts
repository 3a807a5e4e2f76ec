import type { Agents } from "../contract/agents.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { AssistantMessage, Message } from "../models/message.ts";
import type {
  FinishReason,
  Model,
  ModelPrices,
  ModelRequest,
  ReasoningEffort,
  Usage,
} from "../models/model.ts";
import type { Approve, Caller, Toolcrib } from "../toolcrib/index.ts";
import type { AgentEvent, ContextUse, Protocol } from "./event.ts";
import type { SystemOptions } from "./prompt/build-system.ts";
import type { SessionEntry } from "./records/session-entry.ts";
import type { SessionHooks, SessionLimits } from "./session.ts";

/** What a session is put together from; `createSession` opens it, a subagent gets its own of it. */
export interface SessionParts {
  readonly id: string;
  readonly crib: Toolcrib;
  /** Whose calls they are: the room's, or those of somebody else at its counter. */
  readonly caller: Caller;
  readonly model: Model;
  /** Makes another one ready, by its id or opened already, so that it speaks the session's protocol. */
  readonly openModel: (model: string | Model) => Promise<Model>;
  /** The same for a subagent, whose parent uses a model of `provider`; `denied` for one that what it reads may not go to. */
  readonly openForAgent: (id: string, provider: string) => Promise<Model>;
  /** Of any model by its id; undefined where nobody knows. */
  readonly pricesOf: (id: string) => ModelPrices | undefined;
  readonly dialect: string;
  readonly protocol: Protocol;
  readonly reasoning: ReasoningEffort | undefined;
  /** Frozen, as are `tools`. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly limits: SessionLimits;
  readonly hooks: SessionHooks;
  readonly approve: Approve | undefined;
  readonly recorder: Recorder;
  readonly meter: ContextMeter;
  /** End with a turn that is aborted, and with the session. */
  readonly agents: SessionAgents | undefined;
  /** Whose subagent it is. */
  readonly parent?: AgentsParent | undefined;
  /** Writes the system prompt of a subagent. */
  readonly systemFor: (frame: Pick<SystemOptions, "model" | "dialect" | "tools">) => Promise<string>;
  /** What was said before. */
  readonly past: Past | undefined;
  /** What the model has to know before the first input: that it was cut off, and what became of that. */
  readonly opening?: string | undefined;
  /** Ends what was opened for the session alone. */
  release(): Promise<void>;
}

/** A whole reply. */
export interface Reply {
  readonly message: AssistantMessage;
  readonly reason: FinishReason;
  readonly usage: Usage;
}

/** Counts how full the context is: what the provider said last, and an estimate of what came since. Constant cost per message. */
export interface ContextMeter {
  readonly use: ContextUse;
  /** 80 % of the window and more. */
  readonly isNearlyFull: boolean;
  /** So full that the conversation has to be made shorter before the model is asked again. */
  readonly isFull: boolean;
  /** How much may be written so that it still fits beside what is read, where that is less than the model may write anyway. */
  readonly outputRoom: number | undefined;
  /** Joined the conversation. */
  added(message: Message): void;
  /** The provider counted a reply, which was `added` before, and all that it read. */
  counted(usage: Usage): void;
  /** The conversation is this now. */
  restart(messages: readonly Message[]): void;
  /** It could not be made shorter: it is not full again before it has grown a good deal. */
  gaveUp(): void;
  useModel(model: Model): void;
  /** Whether no request could hold this beside system and tools. */
  isTooLong(message: Message): boolean;
}

export interface CompactionOptions {
  /** What would be asked next: the conversation so far, system, tools, reasoning. */
  readonly request: ModelRequest;
  /** Messages of it that stay word for word. */
  readonly pinned: ReadonlySet<Message>;
  readonly contextTokens: number | undefined;
  readonly tokensBefore: number;
  /** Asks the model, with retries, and ends with the turn; its usage is counted there. Throws `ModelError`. */
  ask(request: ModelRequest): Promise<Reply>;
}

/** A shorter conversation. Pinned messages are the same objects as before. */
export interface Compacted {
  readonly messages: readonly Message[];
  readonly tokensAfter: number;
}

/** Writes down what happens, at once. Never throws: what cannot be written is told once as a warning. */
export interface Recorder {
  add(...entries: readonly SessionEntry[]): void;
}

/** A conversation that is gone on with. Every call in it is answered. */
export interface Past {
  readonly messages: readonly Message[];
  readonly pinned: ReadonlySet<Message>;
  /** Turns that have begun. */
  readonly turns: number;
  /** By id of the model, subagents included. */
  readonly usage: ReadonlyMap<string, Usage>;
  /** Whether its last turn was cut off in the middle. */
  readonly isTurnOpen: boolean;
}

/** The agents of a session. */
export interface SessionAgents extends Agents {
  /** Ends all that are open and what they started. */
  closeAll(): Promise<void>;
}

/** What subagents need of the session that has them. */
export interface AgentsParent {
  readonly parts: SessionParts;
  readonly model: Model;
  readonly reasoning: ReasoningEffort | undefined;
  /** All that was used, subagents included. */
  readonly spending: { readonly usage: Usage; readonly cost: number | null };
  /** Why no more may be asked, if a limit of tokens or cost is reached. */
  readonly limitReached: "tokens" | "cost" | undefined;
  /** Asks the person; the session waits meanwhile. */
  readonly ask: Approve | undefined;
  /** Tells listeners of what happened in a subagent: with `agent` set. */
  relay(event: AgentEvent): void;
  /** Counts what a subagent used: entry `spent` and totals. The subagent's own event tells of it. */
  spentBelow(model: Model, usage: Usage): void;
}
