import type { CallFailure } from "../contract/error.ts";
import type { FinishReason, ReasoningEffort, TokenUsage } from "../models/model.ts";
import type { ModelErrorCode } from "../models/model-error.ts";
import type { ApprovalRequest } from "../toolcrib/index.ts";

/** An event of a session: plain data that can be printed as JSON. */
export type AgentEvent = EventBase & AgentEventBody;

interface EventBase {
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The subagent that the event comes from: `agent_1`, or `agent_1/agent_2`. Absent for the session itself. */
  readonly agent?: string;
}

export type AgentEventBody =
  | {
      readonly type: "session-start";
      readonly model: string;
      readonly dialect: string;
      readonly workspace: string;
      readonly protocol: ToolProtocol;
      readonly isResumed: boolean;
    }
  | { readonly type: "session-end" }
  | { readonly type: "state"; readonly state: SessionState }
  | { readonly type: "turn-start"; readonly turn: number }
  | ({ readonly type: "turn-end" } & TurnResult)
  | { readonly type: "user-input"; readonly text: string }
  /** The user sent a message during the turn; the next request to the model contains it. */
  | { readonly type: "steering"; readonly text: string }
  /** The model is asked. `round` counts from 1 in each turn. */
  | { readonly type: "round-start"; readonly round: number }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly text: string }
  | { readonly type: "text-end"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning-start"; readonly id: string }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning-end"; readonly id: string; readonly text: string }
  | { readonly type: "reply-end"; readonly reason: FinishReason }
  | {
      readonly type: "tool-start";
      readonly id: string;
      readonly name: string;
      /** "file.read"; equals `name` for an unknown tool. */
      readonly canonical: string;
      readonly input: unknown;
    }
  | { readonly type: "tool-progress"; readonly id: string; readonly message: string }
  /** A script makes a call. `id` is that of the script, `callId` that of the call in the journal. */
  | {
      readonly type: "inner-start";
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly canonical: string;
      readonly input: unknown;
    }
  | {
      readonly type: "inner-end";
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly canonical: string;
      readonly isError: boolean;
      readonly error: CallFailure | null;
      readonly durationMs: number;
    }
  | {
      readonly type: "tool-output";
      readonly id: string;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly type: "tool-end";
      readonly id: string;
      readonly name: string;
      readonly canonical: string;
      /** The whole output of the tool. */
      readonly output: string;
      /** The part that the model sees. */
      readonly shown: string;
      readonly isError: boolean;
      readonly error: CallFailure | null;
      readonly data: unknown;
      /** The id of the call in the journal; null when it was never made. */
      readonly callId: string | null;
      readonly durationMs: number;
    }
  /** The user is asked about a call; the session is `awaiting` until `approval-end`. */
  | { readonly type: "approval"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: "approval-end"; readonly id: string; readonly allowed: boolean }
  | {
      readonly type: "usage";
      readonly usage: TokenUsage;
      /** Totals of the whole session, subagents included. */
      readonly total: TokenUsage;
      /** In US dollars, for the whole session; null when a price is unknown. */
      readonly cost: number | null;
      readonly context: ContextUse;
    }
  /** A request failed and will be repeated. The parts of its reply do not count. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly waitMs: number;
      readonly code: ModelErrorCode;
      readonly message: string;
    }
  | {
      readonly type: "limit";
      readonly limit: "rounds" | "turns" | "tokens" | "cost";
      readonly allowed: number;
    }
  /** The model repeats itself: it was warned or stopped. */
  | {
      readonly type: "loop";
      readonly action: "warned" | "stopped";
      readonly calls: readonly string[];
      readonly times: number;
    }
  /** Old outputs were replaced by notes in the conversation. They are stored, and the model can read them again. */
  | {
      readonly type: "clearing";
      readonly outputs: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly type: "compaction"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly type: "model"; readonly model: string; readonly reasoning: ReasoningEffort | null }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "error"; readonly error: AgentFailure };

export type SessionState = "idle" | "processing" | "awaiting" | "closed";

/** How tools are called: natively, or by JSON actions in the text of a reply. */
export type ToolProtocol = "native" | "text";

export interface ContextUse {
  /** Tokens of the conversation: the provider's last count plus an estimate of what came since. */
  readonly tokens: number;
  /** The context window of the model; null when unknown. */
  readonly window: number | null;
}

export interface AgentFailure {
  /** `blocked`: by a hook. `invalid-output`: the final answer does not match the schema of the turn. */
  readonly code: ModelErrorCode | "blocked" | "invalid-output" | "internal";
  readonly message: string;
  readonly hint: string | null;
}

export interface TurnResult {
  readonly turn: number;
  readonly outcome: "completed" | "aborted" | "limit" | "loop" | "failed";
  /** Which of the session's limits ended it; only with the outcome "limit". */
  readonly limit?: "rounds" | "turns" | "tokens" | "cost" | undefined;
  readonly text: string;
  /** The validated answer of a turn with an output schema; null unless it completed. Absent without a schema. */
  readonly output?: unknown;
  readonly error: AgentFailure | null;
  readonly rounds: number;
  readonly calls: number;
  /** Totals of this turn, subagents included. */
  readonly usage: TokenUsage;
  readonly cost: number | null;
}
