import type { ReasoningEffort, Usage } from "../../src/models/model.ts";
import type { ModelSettings } from "../../src/models/settings.ts";

/** A provider on this machine: its real wire format, streaming, and as strict as the strictest of its kind. */
export interface ProviderServer {
  readonly url: string;
  /** What to hand to openModel, with `model`. */
  readonly settings: ModelSettings;
  /** `provider/name` of its first model. */
  readonly model: string;
  readonly requests: readonly SeenRequest[];
  /** Every breach of the provider's rules, as a sentence; the request was refused with it. Tests expect []. */
  readonly breaches: readonly string[];
  /** From here on a conversation may go on otherwise than it was: it is forked, or compacted. */
  forget(): void;
  close(): Promise<void>;
}

export type ProviderKind = "openai" | "openai-chat" | "anthropic" | "google" | "ollama" | "openrouter";

export interface ProviderOptions {
  /** How a reply is written: all at once, event by event (the default), or byte by byte, which splits characters too. */
  readonly chunks?: "whole" | "events" | "bytes";
  readonly latencyMs?: number;
  /** Checks nothing, and remembers only the last request: for measuring clients. */
  readonly strict?: boolean;
  /** Others than those it has by itself. */
  readonly models?: readonly string[];
}

/** A list is played in order, one reply a request; a function decides by what was asked. */
export type Script =
  | readonly ScriptedReply[]
  | ((request: SeenRequest) => ScriptedReply | Promise<ScriptedReply>);

/** What the model says, the same for every provider. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Partial<Usage>;
  readonly finish?: "length" | "filtered";
  readonly fault?: Fault;
}

export interface ScriptedCall {
  readonly name: string;
  /** An object; or text: the freeform input of a custom tool, else arguments as they stand on the wire. */
  readonly input: unknown;
  /** Arguments as they stand on the wire, whatever `input` says: broken JSON. */
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
  /** The connection breaks in the middle of the text, of the arguments. */
  | "cut-in-text"
  | "cut-in-arguments"
  /** The stream ends there as if it were over. */
  | "end-in-text"
  | "end-in-arguments"
  /** All is said, but not that it is over. */
  | "no-terminal-event"
  /** Whole, and there is nothing in it. */
  | "empty"
  | "hang-before"
  | "hang-during"
  /** An error, told in the stream after half of the reply. */
  | "error-event"
  | "drop-before-headers"
  /** All calls of the reply have one id. */
  | "duplicate-ids"
  /** Lines end in CRLF, and comments stand between the events. */
  | "crlf"
  | "comments"
  | Oddity;

/** What providers, and servers that are like them, have been seen to do; each writes those that its format can have. */
export type Oddity =
  | "text-after-calls"
  | "one-piece-arguments"
  | "empty-arguments"
  /** Items have another id in each event (OpenAI). */
  | "changing-item-ids"
  /** The first call is number 1 (chat). */
  | "index-from-one"
  | "no-usage"
  /** The reply ends by saying that it failed: response.failed (OpenAI). */
  | "failed-reply"
  /** Reasoning comes encrypted, nothing of it to be read (Anthropic). */
  | "redacted-reasoning"
  /** message_start comes twice (Anthropic). */
  | "start-twice"
  /** Calls have no ids (Google). */
  | "no-ids"
  /** Nothing is said to such a prompt (Google). */
  | "blocked-prompt";

export interface SeenRequest extends NeutralRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client left before the reply was over. */
  readonly aborted: boolean;
}

/** A request as scripts read it, whoever it was sent to. */
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
  /** Of the call that is answered. */
  readonly id?: string;
}
