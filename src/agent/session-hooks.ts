import type { AssistantMessage } from "../models/message.ts";
import type { FinishReason, ModelRequest, TokenUsage } from "../models/model.ts";
import type { CallHooks, HookBlock, HookResult } from "../toolcrib/index.ts";

/**
 * Functions of your program that run at events of a session. The hooks of `config.toml` use the same names. An error in
 * a hook fails the call, request or turn that it belongs to, never the session. No hook can allow what the policy
 * denies.
 */
export interface SessionHooks extends CallHooks {
  /** Before the input of a turn is sent. May keep it from being sent, or add context for the model. */
  UserPromptSubmit?(prompt: HookedPrompt): HookResult<{ readonly context: string } | HookBlock>;
  /** Before a request to a model. May change the request, which is not recorded, or fail the turn. */
  PreModelRequest?(asked: HookedRequest): HookResult<{ readonly request: Partial<ModelRequest> } | HookBlock>;
  /** After a complete reply, before its calls are made. May drop the reply and fail the turn. */
  PostModelRequest?(asked: HookedRequest, reply: HookedReply): HookResult<HookBlock>;
  /** Before the conversation is compacted. May keep it as it is. */
  PreCompact?(compaction: HookedCompaction): HookResult<HookBlock>;
  /** When the model ends a turn. May make it continue with a reason, at most ten times per turn. */
  Stop?(turn: HookedStop): HookResult<HookBlock>;
}

export interface HookedPrompt {
  readonly text: string;
  readonly turn: number;
}

export interface HookedRequest {
  readonly request: ModelRequest;
  /** The id of the model. */
  readonly model: string;
  /** `summary` for a compaction. */
  readonly purpose: "reply" | "summary";
  /** The subagent that asks: `agent_1`; undefined for the session itself. */
  readonly agent: string | undefined;
}

export interface HookedReply {
  readonly message: AssistantMessage;
  readonly reason: FinishReason;
  readonly usage: TokenUsage;
}

export interface HookedCompaction {
  /** `manual` after `compact()`, `auto` when the context is full. */
  readonly trigger: "manual" | "auto";
  readonly tokens: number;
  /** The context window of the model; null when unknown. */
  readonly window: number | null;
}

export interface HookedStop {
  readonly turn: number;
  /** The final answer. */
  readonly text: string;
  /** Whether a hook has made the model continue in this turn. */
  readonly isContinued: boolean;
}
