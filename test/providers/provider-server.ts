import type { ReasoningEffort, TokenUsage } from "../../src/models/model.ts";
import type { ModelSettings } from "../../src/models/settings.ts";

/** A provider on this machine: its real wire format, streaming, and as strict as the strictest of its kind. */
export interface ProviderServer {
  readonly url: string;
  /** Pass it to openModel, with `model`. */
  readonly settings: ModelSettings;
  /** `provider/name` of its first model. */
  readonly model: string;
  readonly requests: readonly SeenRequest[];
  /** Every broken rule of the provider, as a sentence; the request was refused with it. Tests expect []. */
  readonly breaches: readonly string[];
  /** From now on a conversation may differ from earlier ones, because it is forked or compacted. */
  forget(): void;
  close(): Promise<void>;
}

export type ProviderKind = "openai" | "openai-chat" | "anthropic" | "google" | "ollama" | "openrouter";

export interface ProviderOptions {
  /**
   * How a reply is written: all at once, event by event (the default), or byte by byte, which also splits characters.
   */
  readonly chunks?: "whole" | "events" | "bytes";
  readonly latencyMs?: number;
  /** If false, checks nothing and remembers only the last request, to measure clients. */
  readonly strict?: boolean;
  /** Whether usage reports what the provider's cache would hold. Default: nothing is cached. */
  readonly caches?: boolean;
  /** Replaces the default models. */
  readonly models?: readonly string[];
}

/** A list is played in order, one reply per request; a function decides by the request. */
export type Script =
  | readonly ScriptedReply[]
  | ((request: SeenRequest) => ScriptedReply | Promise<ScriptedReply>);

/** A reply of the model, the same for every provider. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Partial<TokenUsage>;
  readonly finish?: "length" | "filtered";
  readonly fault?: Fault;
}

export interface ScriptedCall {
  readonly name: string;
  /** An object; or text: the freeform input of a custom tool, else arguments as on the wire. */
  readonly input: unknown;
  /** Arguments as on the wire, instead of `input`: broken JSON. */
  readonly raw?: string;
  readonly id?: string;
}

export type Fault =
  | {
      readonly status: number;
      readonly retryAfter?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** The connection breaks in the middle of the text or of the arguments. */
  | "cut-in-text"
  | "cut-in-arguments"
  /** The stream ends there as if the reply were complete. */
  | "end-in-text"
  | "end-in-arguments"
  /** The reply is complete, but its final event is missing. */
  | "no-terminal-event"
  /** A complete reply without content. */
  | "empty"
  | "hang-before"
  | "hang-during"
  /** An error in the stream after half of the reply. */
  | "error-event"
  | "drop-before-headers"
  /** All calls of the reply have the same id. */
  | "duplicate-ids"
  /** Lines end in CRLF, or comments are between the events. */
  | "crlf"
  | "comments"
  | Oddity;

/**
 * Deviations that were observed in providers and compatible servers. Each protocol writes those that its format
 * allows.
 */
export type Oddity =
  | "text-after-calls"
  | "one-piece-arguments"
  | "empty-arguments"
  /** Items have another id in each event (OpenAI). */
  | "changing-item-ids"
  /** The first call has the index 1 (chat). */
  | "index-from-one"
  | "no-usage"
  /** The reply ends with a failure: response.failed (OpenAI). */
  | "failed-reply"
  /** Reasoning is encrypted and has no text (Anthropic). */
  | "redacted-reasoning"
  /** message_start comes twice (Anthropic). */
  | "start-twice"
  /** Calls have no ids (Google). */
  | "no-ids"
  /** The prompt gets no reply (Google). */
  | "blocked-prompt";

export interface SeenRequest extends NeutralRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the client disconnected before the end of the reply. */
  readonly aborted: boolean;
}

/** A request as scripts read it, the same for every provider. */
export interface NeutralRequest {
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly string[];
  readonly system: string;
  readonly reasoning: ReasoningEffort | string | undefined;
}

export interface NeutralMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** The id of the answered call. */
  readonly id?: string;
}
