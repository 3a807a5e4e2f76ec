import type { ToolDefinition } from "../dialects/definition.ts";
import type { CallPart, Message, Meta } from "./message.ts";

/** A model that answers conversations, whoever provides it. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  /** Whose API it is reached by: "openai". */
  readonly provider: string;
  /** As the provider calls it. */
  readonly name: string;
  readonly facts: ModelFacts;
  /**
   * Streams one reply. It has really ended when `finish` has come, which is the last event; else this throws a `ModelError`, and
   * nothing that came before counts: no call of it may be made. Aborts at once with `signal`, by the signal's reason. Asks
   * once: who wants to try again decides so.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** What is known of a model; undefined where nobody knows. */
export interface ModelFacts {
  /** How much it reads and writes at most, in tokens. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** US dollars for a million tokens. */
  readonly prices?: ModelPrices | undefined;
  /** False where it calls no tools by itself, and has to be spoken to by the action protocol. */
  readonly callsTools?: boolean | undefined;
  readonly seesImages?: boolean | undefined;
}

export interface ModelPrices extends TokenPrices {
  /** What all of a request costs whose input is longer than so many tokens. */
  readonly over?: (TokenPrices & { readonly tokens: number }) | undefined;
}

interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Of input that was in the provider's cache; as `input` if not said. */
  readonly cached?: number | undefined;
  readonly cacheWritten?: number | undefined;
}

export interface ModelRequest {
  /** The same for a whole session, as are `tools`, so that the provider's cache holds. */
  readonly system: string;
  /** Only ever added to. Ends with what the model has to answer. Every call in it is answered, exactly once. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly reasoning?: ReasoningEffort | undefined;
  /** Stands for the conversation, where a provider's cache wants a name. */
  readonly cacheKey?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
}

export type ReasoningEffort = (typeof reasoningEfforts)[number];

export const reasoningEfforts = ["low", "medium", "high"] as const;

/** What comes of a reply, as it comes. Parts may be interleaved; their ids are unique in the reply. */
export type ModelEvent =
  | { readonly type: "part-start"; readonly id: string; readonly part: "text" | "reasoning" }
  | { readonly type: "part-delta"; readonly id: string; readonly text: string }
  | { readonly type: "part-end"; readonly id: string; readonly meta?: Meta }
  /** A call begins to come; its arguments are not whole yet. */
  | { readonly type: "call-start"; readonly id: string; readonly name: string }
  | { readonly type: "call-delta"; readonly id: string; readonly text: string }
  /** A call is whole. `call.id` is as the provider gave it, or made up where it gave none. */
  | { readonly type: "call"; readonly call: CallPart }
  /** The model meant to act and could not be understood; `message` tells it what was wrong. No call stands for it. */
  | { readonly type: "fault"; readonly message: string }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage; readonly meta?: Meta };

/** `length`: the reply was cut at the most it may write; a call in it that is not whole is not handed over. */
export type FinishReason = "stop" | "calls" | "length" | "filtered";

/** Tokens. */
export interface Usage {
  /** All that was read, `cached` and `cacheWritten` included. */
  readonly input: number;
  readonly cached: number;
  readonly cacheWritten: number;
  /** All that was written, `reasoning` included. */
  readonly output: number;
  readonly reasoning: number;
}
