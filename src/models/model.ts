import type { ToolDefinition } from "../dialects/definition.ts";
import type { CallPart, Message, ProviderMeta } from "./message.ts";

/** A model that answers conversations. */
export interface Model {
  /** `provider/name`. */
  readonly id: string;
  /** The provider through which it is reached: "openai". */
  readonly provider: string;
  /** The provider's name for the model. */
  readonly name: string;
  readonly facts: ModelFacts;
  /**
   * Streams one reply. It is complete when `finish`, the last event, has come. Otherwise this throws a `ModelError`,
   * and no call of the reply may be made. Aborts at once with the reason of `signal`. Never retries.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Known facts about a model; undefined when unknown. */
export interface ModelFacts {
  /** Limits for input and output, in tokens. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** In US dollars per million tokens. */
  readonly prices?: ModelPrices | undefined;
  /** False when it needs the text protocol. */
  readonly callsTools?: boolean | undefined;
  readonly seesImages?: boolean | undefined;
  /** True when its API loads deferred tools that the model finds with `tools.find`. */
  readonly defersTools?: boolean | undefined;
  /** True when the dialect `toolcrib` lists `edit.anchored` for it. Set by the user; no model has it by default. */
  readonly editsByAnchors?: boolean | undefined;
}

export interface ModelPrices extends TokenPrices {
  /** Prices for requests with more input tokens than this. */
  readonly over?: (TokenPrices & { readonly tokens: number }) | undefined;
}

interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** For input from the provider's cache. Default: `input`. */
  readonly cached?: number | undefined;
  readonly cacheWritten?: number | undefined;
}

export interface ModelRequest {
  /** The same for a whole session, as are `tools`, so that the provider's cache holds. */
  readonly system: string;
  /** Append-only. Ends with what the model has to answer. Every call is answered exactly once. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Tools that the model finds with `tools.find`. Models that do not load them call them with `tools.call`. */
  readonly deferred?: readonly ToolDefinition[] | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  /** Identifies the conversation for the provider's cache. */
  readonly cacheKey?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly sampling?: Omit<Sampling, "maxOutputTokens"> | undefined;
  /**
   * The JSON Schema of the final answer, which the conversation also states. A model whose API can enforce it next to
   * calls does so.
   */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** How a model chooses its words. A provider that does not support a setting ignores it, with a warning. */
export interface Sampling {
  /** From 0, the most likely words, to 2. */
  readonly temperature?: number | undefined;
  /** From 0 to 1: the share of likely words to choose from. */
  readonly topP?: number | undefined;
  /** The most tokens of one reply. */
  readonly maxOutputTokens?: number | undefined;
  /** The same seed gives similar replies. */
  readonly seed?: number | undefined;
  /** Texts that end a reply. */
  readonly stop?: readonly string[] | undefined;
}

export type ReasoningEffort = (typeof reasoningEfforts)[number];

export const reasoningEfforts = ["low", "medium", "high"] as const;

/** The events of a reply. Parts may be interleaved; their ids are unique in the reply. */
export type ModelEvent =
  | { readonly type: "part-start"; readonly id: string; readonly part: "text" | "reasoning" }
  | { readonly type: "part-delta"; readonly id: string; readonly text: string }
  | { readonly type: "part-end"; readonly id: string; readonly meta?: ProviderMeta }
  /** A call begins; its arguments are incomplete. */
  | { readonly type: "call-start"; readonly id: string; readonly name: string }
  | { readonly type: "call-delta"; readonly id: string; readonly text: string }
  /** A complete call. `call.id` comes from the provider, or is made up when there is none. */
  | { readonly type: "call"; readonly call: CallPart }
  /** The model tried to act and could not be understood. There is no call; `message` tells the model what was wrong. */
  | { readonly type: "fault"; readonly message: string }
  | { readonly type: "warning"; readonly message: string }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      readonly meta?: ProviderMeta;
    };

/** `length`: cut at the output limit; an incomplete call is not passed on. */
export type FinishReason = "stop" | "calls" | "length" | "filtered";

/** Numbers of tokens. */
export interface TokenUsage {
  /** All input, `cached` and `cacheWritten` included. */
  readonly input: number;
  readonly cached: number;
  readonly cacheWritten: number;
  /** All output, `reasoning` included. */
  readonly output: number;
  readonly reasoning: number;
}
