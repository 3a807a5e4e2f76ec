import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Message } from "../../models/message.ts";
import type { Model, Usage } from "../../models/model.ts";
import type { ContextUse } from "../event.ts";
import type { ContextMeter } from "../parts.ts";
import { conversationTokens, frameTokens, messageTokens } from "./message-tokens.ts";

export interface MeterOptions {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
}

export function openMeter({ model, system, tools }: MeterOptions): ContextMeter {
  return new Meter(model.facts.contextTokens, frameTokens(system, tools));
}

/** Where a conversation is warned of, and where it is made shorter, as shares of the window. */
export const nearlyFullShare = 0.8;
export const fullShare = 0.9;

class Meter implements ContextMeter {
  readonly #frame: number;
  #window: number | undefined;
  /** As the provider last counted it, and the estimate of all that it counted then. */
  #counted: { readonly tokens: number; readonly estimate: number } | undefined;
  /** Of the whole conversation, system and tools included. */
  #estimate: number;
  /** How many tokens one that we estimate really is, by what the provider counted. */
  #ratio = 1;

  constructor(window: number | undefined, frame: number) {
    this.#window = window;
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
    return this.#counted !== undefined && this.#fills(fullShare);
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
    this.#estimate = this.#frame + conversationTokens(messages);
  }

  useModel({ facts }: Model): void {
    this.#window = facts.contextTokens;
  }

  isTooLong(message: Message): boolean {
    if (this.#window === undefined) return false;
    return (this.#frame + messageTokens(message)) * leastRatio > this.#window;
  }

  get #tokens(): number {
    const { tokens, estimate } = this.#counted ?? { tokens: 0, estimate: 0 };
    return Math.ceil(tokens + (this.#estimate - estimate) * this.#ratio);
  }

  #fills(share: number): boolean {
    return this.#window !== undefined && this.#tokens >= this.#window * share;
  }
}

/** An estimate is rather too high: prose and code cost about two thirds of it, and seldom less than a half. */
const leastRatio = 0.6;
const mostRatio = 1.2;

/** How many tokens one that we estimate really is; what a provider counts besides (reasoning, pictures) is no measure. */
export function likelyRatio(counted: number, estimated: number): number {
  return Math.min(mostRatio, Math.max(leastRatio, counted / Math.max(1, estimated)));
}
