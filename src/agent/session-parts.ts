import type { ToolDefinition } from "../dialects/definition.ts";
import type { Message } from "../models/message.ts";
import type { Model, ModelPrices, ReasoningEffort, Sampling, TokenUsage } from "../models/model.ts";
import type { Approve, Caller, Toolcrib } from "../toolcrib/index.ts";
import type { ContextMeter } from "./context/meter.ts";
import type { ToolProtocol } from "./event.ts";
import type { SystemOptions } from "./prompt/build-system.ts";
import type { SessionEntry } from "./records/session-entry.ts";
import type { SessionLimits } from "./session.ts";
import type { SessionCore } from "./session-core.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { Skills } from "./skills.ts";
import type { Subagents } from "./subagents/subagents.ts";

/** The parts of a session. `createSession` opens them; a subagent gets a copy with changes. */
export interface SessionParts {
  readonly id: string;
  readonly crib: Toolcrib;
  /** Makes the calls: the instance itself, or a caller that was added to it. */
  readonly caller: Caller;
  readonly model: Model;
  /** Opens another model, by id or already open, for the protocol of the session. */
  readonly openModel: (model: string | Model) => Promise<Model>;
  /** Opens a model for a subagent whose parent uses `provider`. Throws `denied` for providers that the user has not allowed. */
  readonly openForAgent: (id: string, provider: string) => Promise<Model>;
  readonly pricesOf: (id: string) => ModelPrices | undefined;
  readonly dialect: string;
  readonly protocol: ToolProtocol;
  readonly reasoning: ReasoningEffort | undefined;
  readonly sampling: Sampling;
  /** The prompt and `tools` never change, so that the provider's cache holds. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** The tools that the model finds with `tools.find`; undefined when its API does not load them. */
  readonly deferred: readonly ToolDefinition[] | undefined;
  readonly skills: Skills;
  readonly limits: SessionLimits;
  readonly hooks: SessionHooks;
  readonly approve: Approve | undefined;
  readonly recorder: Recorder;
  readonly meter: ContextMeter;
  /** The subagents, which end when a turn is aborted and when the session closes. */
  readonly agents: Subagents | undefined;
  readonly parent?: SessionCore | undefined;
  readonly systemFor: (
    frame: Pick<SystemOptions, "model" | "dialect" | "tools" | "protocol">,
  ) => Promise<string>;
  /** The conversation that a resumed or forked session starts with. */
  readonly resumed: ResumedConversation | undefined;
  /**
   * A notice to the model before the first request: that the session was interrupted, unless its turn continues, and
   * what was recovered.
   */
  readonly opening?: ((isContinued: boolean) => string | undefined) | undefined;
  /** Closes what was opened for this session alone. */
  release(): Promise<void>;
}

/** Records entries in order. Never throws: a series of failed writes is reported once, as a warning. */
export interface Recorder {
  add(...entries: readonly SessionEntry[]): void;
  /** Waits until the entries so far are stored, or cannot be stored. */
  flush(): Promise<void>;
  /** Ignores all further entries, as if the process had ended. */
  stop(): void;
}

/** A recorded conversation in which every call is answered. */
export interface ResumedConversation {
  readonly messages: readonly Message[];
  readonly pinned: ReadonlySet<Message>;
  readonly turns: number;
  /** The usage by model id, subagents included. */
  readonly usage: ReadonlyMap<string, TokenUsage>;
  readonly isPlanning: boolean;
  /** Whether its last turn was cut off. */
  readonly isTurnOpen: boolean;
  /** The last turn, when it can continue: it was cut off, or its last request failed. */
  readonly openTurn: OpenTurn | undefined;
}

/** The work so far of a turn that can continue. */
export interface OpenTurn {
  readonly rounds: number;
  readonly calls: number;
  /** Whether its last reply has reached the output limit, and the model does not know it yet. */
  readonly wasCut: boolean;
}
