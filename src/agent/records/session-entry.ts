import type { AgentStatus } from "../../contract/agents.ts";
import type { AssistantMessage, CallAnswer, Message, UserMessage } from "../../models/message.ts";
import type { FinishReason, ReasoningEffort, TokenUsage } from "../../models/model.ts";
import type { ToolProtocol, TurnResult } from "../event.ts";
import type { ClearedAnswer } from "../history.ts";

/** A record of a session. Records are written at once and in order: a session can be resumed after a kill at any moment. */
export type SessionEntry =
  | {
      readonly kind: "start";
      readonly version: 1;
      readonly model: string;
      readonly dialect: string;
      readonly protocol: ToolProtocol;
      readonly reasoning: ReasoningEffort | null;
      /** Never changes. */
      readonly system: string;
      readonly workspace: string;
      /** The session and the turn after which it was forked. */
      readonly parent?: { readonly session: string; readonly turn: number };
    }
  | {
      readonly kind: "user";
      readonly turn: number;
      readonly source: UserSource;
      readonly message: UserMessage;
      /** Never compacted. */
      readonly isPinned?: true;
    }
  | {
      readonly kind: "reply";
      readonly message: AssistantMessage;
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      /** The user interrupted the reply; this is the text that was shown. */
      readonly isInterrupted?: true;
    }
  /** A call of the last reply has begun; `callId` is its id in the journal. */
  | { readonly kind: "begun"; readonly id: string; readonly callId: string }
  | { readonly kind: "answer"; readonly answer: CallAnswer; readonly callId: string | null }
  /** Replaces the contents of answers by notes. */
  | {
      readonly kind: "cleared";
      readonly answers: readonly ClearedAnswer[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** Replaces the conversation so far. */
  | {
      readonly kind: "compacted";
      readonly messages: readonly Message[];
      /** The indexes of messages that are never compacted. */
      readonly pinned: readonly number[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | {
      readonly kind: "change";
      readonly model?: string;
      readonly reasoning?: ReasoningEffort | null;
      readonly isPlanning?: boolean;
    }
  /** Tokens that no recorded reply accounts for: those of subagents, summaries and dropped replies. */
  | { readonly kind: "spent"; readonly model: string; readonly usage: TokenUsage }
  /** A subagent has begun or ended. Its path, `agent_1/agent_2`, names its parents first; its task comes with the first. */
  | {
      readonly kind: "agent";
      readonly agent: string;
      readonly state: AgentStatus["state"];
      readonly task?: string;
    }
  | { readonly kind: "turn-end"; readonly result: TurnResult };

/** `notice`: a message that the session wrote to the model, such as a warning about a loop. */
export type UserSource = "input" | "follow-up" | "steering" | "notice";
