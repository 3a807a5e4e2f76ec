import type { ToolDefinition } from "../../dialects/definition.ts";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import type { CallInput, Message, ReplyPart } from "../../models/message.ts";
import type { Model, ModelFacts, Usage } from "../../models/model.ts";
import type { ContextUse } from "../event.ts";
import type { ContextMeter } from "../session-parts.ts";

interface MeterOptions {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
}

export function openMeter({ model, system, tools }: MeterOptions): ContextMeter {
  return new Meter(model.facts, frameTokens(system, tools));
}

/** Where a conversation is warned of, and where it is made shorter, as shares of the window. */
const nearlyFullShare = 0.8;
export const fullShare = 0.9;

/** By how much it has to grow before it is tried again to make it shorter. */
const retryShare = 0.03;

class Meter implements ContextMeter {
  readonly #frame: number;
  #facts: ModelFacts;
  /** As the provider last counted it, and the estimate of all that it counted then. */
  #counted: { readonly tokens: number; readonly estimate: number } | undefined;
  /** Of the whole conversation, system and tools included. */
  #estimate: number;
  /** How many tokens one that we estimate really is, by what the provider counted. */
  #ratio = 1;
  /** How large it was when it could not be made shorter. */
  #gaveUpAt: number | undefined;

  constructor(facts: ModelFacts, frame: number) {
    this.#facts = facts;
    this.#frame = frame;
    this.#estimate = frame;
  }

  get use(): ContextUse {
    return { tokens: this.#tokens, window: this.#window ?? null };
  }

  get isNearlyFull(): boolean {
    return this.#fills(nearlyFullShare);
  }

  /** Only once the provider has counted: of what was just made shorter nobody knows better until there was a reply. */
  get isFull(): boolean {
    if (this.#counted === undefined || !this.#fills(fullShare)) return false;
    return this.#gaveUpAt === undefined || this.#tokens >= this.#gaveUpAt + retryShare * (this.#window ?? 0);
  }

  get outputRoom(): number | undefined {
    const { contextTokens = Number.POSITIVE_INFINITY, maxOutputTokens = 0 } = this.#facts;
    const room = contextTokens - this.#tokens;
    return room < maxOutputTokens ? Math.max(leastOutput, Math.floor(room)) : undefined;
  }

  added(message: Message): void {
    this.#estimate += messageTokens(message);
  }

  counted({ input, output }: Usage): void {
    // Some servers do not count.
    if (input <= 0) return;
    this.#counted = { tokens: input + output, estimate: this.#estimate };
    this.#ratio = likelyRatio(input + output, this.#estimate);
  }

  restart(messages: readonly Message[]): void {
    this.#counted = undefined;
    this.#gaveUpAt = undefined;
    this.#estimate = this.#frame + conversationTokens(messages);
  }

  gaveUp(): void {
    this.#gaveUpAt = this.#tokens;
  }

  useModel({ facts }: Model): void {
    this.#gaveUpAt = undefined;
    this.#facts = facts;
  }

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

/** With less nothing could be said; whether it fits is for the provider to tell. */
const leastOutput = 1_024;

/** An estimate is rather too high: prose and code cost about two thirds of it, and seldom less than a half. */
const leastRatio = 0.6;
const mostRatio = 1.2;

/** How many tokens one that we estimate really is; what a provider counts besides (reasoning, pictures) is no measure. */
export function likelyRatio(counted: number, estimated: number): number {
  return Math.min(mostRatio, Math.max(leastRatio, counted / Math.max(1, estimated)));
}

/** What a message may cost in every request, rather too much than too little. */
export function messageTokens(message: Message): number {
  if (message.role === "tool")
    return sum(
      message.answers.map(({ content, images }) => textTokens(content) + images.length * imageTokens),
    );
  if (message.role === "assistant") return sum(message.content.map(partTokens));
  return sum(message.content.map((part) => (part.type === "image" ? imageTokens : textTokens(part.text))));
}

export function conversationTokens(messages: readonly Message[]): number {
  return sum(messages.map(messageTokens));
}

/** What every request of a session costs before anything was said. */
export function frameTokens(system: string, tools: readonly ToolDefinition[]): number {
  const told = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return estimateTokens(system) + estimateTokens(JSON.stringify(told));
}

/** Roles, ids and the like. */
const partOverhead = 8;

/** Providers count a picture by its size, and seldom more than this. */
const imageTokens = 1_600;

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
