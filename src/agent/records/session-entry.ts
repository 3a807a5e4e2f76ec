import type { AssistantMessage, CallAnswer, Message, UserMessage } from "../../models/message.ts";
import type { FinishReason, ReasoningEffort, Usage } from "../../models/model.ts";
import type { Protocol, TurnResult } from "../event.ts";

/** What is written down of a session, in its order, at once: enough to go on with it after a kill at any moment. */
export type SessionEntry =
  | {
      readonly kind: "start";
      readonly version: 1;
      readonly model: string;
      readonly dialect: string;
      readonly protocol: Protocol;
      readonly reasoning: ReasoningEffort | null;
      /** The system prompt, frozen. */
      readonly system: string;
      readonly workspace: string;
      /** Where it was forked: after this turn of that session. */
      readonly parent?: { readonly session: string; readonly turn: number };
    }
  | {
      readonly kind: "user";
      readonly turn: number;
      readonly source: UserSource;
      readonly message: UserMessage;
      /** Never compacted away. */
      readonly isPinned?: true;
    }
  | {
      readonly kind: "reply";
      readonly message: AssistantMessage;
      readonly reason: FinishReason;
      readonly usage: Usage;
      /** The person stopped it: these are the words that were shown. */
      readonly isInterrupted?: true;
    }
  /** A call of the last reply is being made; `callId` is the journal's. */
  | { readonly kind: "begun"; readonly id: string; readonly callId: string }
  | { readonly kind: "answer"; readonly answer: CallAnswer; readonly callId: string | null }
  /** From here on the conversation is this. */
  | {
      readonly kind: "compacted";
      readonly messages: readonly Message[];
      /** Which of them, counted from 0, are never compacted away. */
      readonly pinned: readonly number[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly kind: "change"; readonly model?: string; readonly reasoning?: ReasoningEffort | null }
  /** Tokens that subagents used. */
  | { readonly kind: "spent"; readonly model: string; readonly usage: Usage }
  | { readonly kind: "turn-end"; readonly result: TurnResult };

/** `notice`: our own words to the model, about a loop or a reply that could not be understood. */
export type UserSource = "input" | "follow-up" | "steering" | "notice";
