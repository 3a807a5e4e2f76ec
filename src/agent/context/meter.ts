import type { ToolDefinition } from "../../dialects/definition.ts";
import { imageTokens } from "../../lib/bytes/check-image.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import { estimateTokens } from "../../lib/text/estimate-tokens.ts";
import type { CallAnswer, CallInput, Message, ReplyPart } from "../../models/message.ts";
import type { Model, ModelFacts, TokenUsage } from "../../models/model.ts";
import type { ContextUse } from "../event.ts";

/** Shares of the context window at which a session warns, and at which it compacts. */
const nearlyFullShare = 0.8;
export const fullShare = 0.9;

/** How much the conversation has to grow before a failed compaction is tried again. */
const retryShare = 0.03;

/** The share of the context window at which old outputs are cleared, unless the limit of the session is lower. */
const largeShare = 0.5;

/** How much a conversation with nothing to clear has to grow before that is checked again. */
const growthShare = 0.1;

/** Measures how full the context is: the provider's last count plus an estimate of what came since. */
export class ContextMeter {
  readonly #frame: number;
  #facts: ModelFacts;
  /** The last count of the provider, and the estimate for the same messages. */
  #counted: { readonly tokens: number; readonly estimate: number } | undefined;
  /** The estimate for the whole conversation, with system prompt and tools. */
  #estimate: number;
  #ratio = 1;
  #gaveUpAt: number | undefined;
  readonly #clearTokens: number;
  #clearAgainAt = 0;

  constructor({ model, system, tools, clearTokens }: MeterOptions) {
    this.#clearTokens = clearTokens;
    this.#facts = model.facts;
    this.#frame = frameTokens(system, tools);
    this.#estimate = this.#frame;
  }

  get use(): ContextUse {
    return { tokens: this.#tokens, window: this.#window ?? null };
  }

  get isNearlyFull(): boolean {
    return this.#fills(nearlyFullShare);
  }

  /** Whether the conversation must be compacted. False right after a compaction, when there is only an estimate. */
  get isFull(): boolean {
    if (this.#counted === undefined || !this.#fills(fullShare)) return false;
    return this.#gaveUpAt === undefined || this.#tokens >= this.#gaveUpAt + retryShare * (this.#window ?? 0);
  }

  /** The output limit of the next request; undefined when the window has space for the model's longest reply. */
  get outputLimit(): number | undefined {
    const { contextTokens = Number.POSITIVE_INFINITY, maxOutputTokens = 0 } = this.#facts;
    const left = contextTokens - this.#tokens;
    return left < maxOutputTokens ? Math.max(leastOutput, Math.floor(left)) : undefined;
  }

  /** Whether old outputs should be cleared. */
  get isLarge(): boolean {
    const limit = Math.min(this.#clearTokens, (this.#window ?? Number.POSITIVE_INFINITY) * largeShare);
    return this.#counted !== undefined && this.#tokens >= Math.max(limit, this.#clearAgainAt);
  }

  added(message: Message): void {
    this.#estimate += messageTokens(message);
  }

  /** Takes the provider's count for the conversation up to the reply that was just `added`. */
  counted({ input, output }: TokenUsage): void {
    if (input <= 0) return;
    this.#counted = { tokens: input + output, estimate: this.#estimate };
    this.#ratio = likelyRatio(input + output, this.#estimate);
  }

  /** Takes a conversation in which only contents of answers became shorter. */
  shortened(before: readonly Message[], after: readonly Message[]): void {
    this.#gaveUpAt = undefined;
    this.#clearAgainAt = 0;
    this.#estimate -= conversationTokens(before) - conversationTokens(after);
  }

  /** Notes that there was too little to clear: `isLarge` stays false until the conversation has grown. */
  clearedNothing(): void {
    this.#clearAgainAt = this.#tokens * (1 + growthShare);
  }

  restart(messages: readonly Message[]): void {
    this.#clearAgainAt = 0;
    this.#counted = undefined;
    this.#gaveUpAt = undefined;
    this.#estimate = this.#frame + conversationTokens(messages);
  }

  /** Notes that compaction failed: `isFull` stays false until the conversation has grown. */
  gaveUp(): void {
    this.#gaveUpAt = this.#tokens;
  }

  useModel({ facts }: Model): void {
    this.#gaveUpAt = undefined;
    this.#facts = facts;
  }

  /** Whether no request could hold this message in addition to system and tools. */
  isTooLong(message: Message): boolean {
    if (this.#window === undefined) return false;
    return (this.#frame + messageTokens(message)) * leastRatio > this.#window;
  }

  get #window(): number | undefined {
    return this.#facts.contextTokens;
  }

  get #tokens(): number {
    const { tokens, estimate } = this.#counted ?? { tokens: 0, estimate: 0 };
    return Math.ceil(tokens + (this.#estimate - estimate) * this.#ratio);
  }

  #fills(share: number): boolean {
    return this.#window !== undefined && this.#tokens >= this.#window * share;
  }
}

/** The lowest output limit. A shorter reply would be useless, so the provider decides whether this one fits. */
const leastOutput = 1_024;

/** Bounds of `likelyRatio`. Estimates are high: prose and code cost about two thirds of them. */
const leastRatio = 0.6;
const mostRatio = 1.2;

/** Returns counted tokens per estimated token, within bounds: providers also count reasoning and images. */
export function likelyRatio(counted: number, estimated: number): number {
  return Math.min(mostRatio, Math.max(leastRatio, counted / Math.max(1, estimated)));
}

export function messageTokens(message: Message): number {
  if (message.role === "tool") return sum(message.answers.map(answerTokens));
  if (message.role === "assistant") return sum(message.content.map(partTokens));
  return sum(
    message.content.map((part) => (part.type === "image" ? tokensOfImage(part) : textTokens(part.text))),
  );
}

export function answerTokens({ content, images }: CallAnswer): number {
  return textTokens(content) + sum(images.map(tokensOfImage));
}

export function conversationTokens(messages: readonly Message[]): number {
  return sum(messages.map(messageTokens));
}

/** Estimates the tokens of system prompt and tools, which every request contains. */
export function frameTokens(system: string, tools: readonly ToolDefinition[]): number {
  const sent = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return estimateTokens(system) + estimateTokens(JSON.stringify(sent));
}

const partOverhead = 8;

const tokensOfImage = oncePerObject(imageTokens);

function partTokens(part: ReplyPart): number {
  return part.type === "call"
    ? textTokens(part.name) + estimateTokens(inputText(part.input))
    : textTokens(part.text);
}

function inputText(input: CallInput): string {
  return input.ok ? (JSON.stringify(input.value) ?? "") : input.given;
}

function textTokens(text: string): number {
  return partOverhead + estimateTokens(text);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

interface MeterOptions {
  /** The limit of the session. */
  readonly clearTokens: number;
  readonly model: Pick<Model, "facts">;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
}
