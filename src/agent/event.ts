import type { FinishReason, ReasoningEffort, Usage } from "../models/model.ts";
import type { ModelErrorKind } from "../models/model-error.ts";
import type { CallFailure } from "../toolcrib/call-result.ts";
import type { ApprovalRequest } from "../toolcrib/index.ts";

/** What happens in a session, as it happens. Plain data: it can be printed as JSON. */
export type AgentEvent = EventBase & AgentHappening;

interface EventBase {
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Which subagent it happens in, `agent_1`, or one of its own, `agent_1/agent_2`; not said of the session itself. */
  readonly agent?: string;
}

export type AgentHappening =
  | {
      readonly type: "session-start";
      readonly model: string;
      readonly dialect: string;
      readonly workspace: string;
      readonly protocol: Protocol;
      /** Whether it goes on with what was said before. */
      readonly isResumed: boolean;
    }
  | { readonly type: "session-end" }
  | { readonly type: "state"; readonly state: SessionState }
  | { readonly type: "turn-start"; readonly turn: number }
  | ({ readonly type: "turn-end" } & TurnResult)
  /** What the person asked, at the start of a turn, or as a follow-up after it. */
  | { readonly type: "user-input"; readonly text: string }
  /** What the person said while the model was at work; it has been told. */
  | { readonly type: "steering"; readonly text: string }
  /** The model is asked; `round` counts from 1 in each turn. */
  | { readonly type: "round-start"; readonly round: number }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly text: string }
  | { readonly type: "text-end"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning-start"; readonly id: string }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning-end"; readonly id: string; readonly text: string }
  /** The reply is whole. */
  | { readonly type: "reply-end"; readonly reason: FinishReason }
  | {
      readonly type: "tool-start";
      /** Of the call in the conversation. */
      readonly id: string;
      readonly name: string;
      /** "file.read"; the name itself where the tool is not known. */
      readonly canonical: string;
      readonly input: unknown;
    }
  | { readonly type: "tool-progress"; readonly id: string; readonly message: string }
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
      /** All that the tool said. */
      readonly output: string;
      /** What the model is shown of it. */
      readonly shown: string;
      readonly isError: boolean;
      readonly error: CallFailure | null;
      readonly data: unknown;
      /** Of the call in the journal; null where it was never made. */
      readonly callId: string | null;
      readonly durationMs: number;
    }
  /** A person is asked about a call; the session is `awaiting` until `approval-end`. */
  | { readonly type: "approval"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: "approval-end"; readonly id: string; readonly allowed: boolean }
  | {
      readonly type: "usage";
      /** Of this reply. */
      readonly usage: Usage;
      /** Of the whole session, its subagents included. */
      readonly total: Usage;
      /** US dollars of the whole session; null where the price of a model is not known. */
      readonly cost: number | null;
      readonly context: ContextUse;
    }
  /** A reply failed in a way that may pass; what came of it does not count. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly waitMs: number;
      readonly kind: ModelErrorKind;
      readonly message: string;
    }
  | {
      readonly type: "limit";
      readonly limit: "rounds" | "turns" | "tokens" | "cost";
      readonly allowed: number;
    }
  /** The model repeats itself: it was told so, or it was stopped. */
  | {
      readonly type: "loop";
      readonly action: "warned" | "stopped";
      /** The calls that repeat, as `name(arguments)`. */
      readonly calls: readonly string[];
      readonly times: number;
    }
  | { readonly type: "compaction"; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly type: "model"; readonly model: string; readonly reasoning: ReasoningEffort | null }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "error"; readonly error: AgentFailure };

export type SessionState = "idle" | "processing" | "awaiting" | "closed";

/** How tools are called: by the provider's own means, or by JSON actions in the text of a reply. */
export type Protocol = "native" | "text";

export interface ContextUse {
  /** Tokens of the conversation, as the provider last counted them and as estimated since. */
  readonly tokens: number;
  /** What the model reads at most; null where that is not known. */
  readonly window: number | null;
}

export interface AgentFailure {
  /** Of the model, or `internal`. */
  readonly kind: ModelErrorKind | "internal";
  readonly message: string;
  readonly hint: string | null;
}

/** How a turn ended. */
export interface TurnResult {
  readonly turn: number;
  readonly outcome: "completed" | "aborted" | "limit" | "loop" | "failed";
  /** The last words of the model. */
  readonly text: string;
  readonly error: AgentFailure | null;
  readonly rounds: number;
  readonly calls: number;
  /** Of this turn, its subagents included. */
  readonly usage: Usage;
  readonly cost: number | null;
}
