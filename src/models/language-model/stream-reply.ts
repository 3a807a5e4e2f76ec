import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import { readArguments, readFreeform, readStrict } from "../../wire/read-arguments.ts";
import { refusedCall } from "../classify-provider-error.ts";
import type { CallPart, ProviderMeta } from "../message.ts";
import type { FinishReason, ModelEvent, TokenUsage } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { OfferedTools, Route, ToolFormat } from "./route.ts";

export interface Reading {
  readonly offered: OfferedTools;
  readonly route: Pick<Route, "fault" | "isCutCall" | "otherEnds" | "replyMeta" | "tools">;
  isNews(warning: string): boolean;
}

/**
 * Converts the parts of the AI SDK to the events of a reply. Throws `cut` when the stream stops without the provider's
 * end, and rethrows errors within the stream.
 */
export async function* readReply(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  reading: Reading,
): AsyncGenerator<ModelEvent, void> {
  const reply = new Reply(reading);
  for await (const part of parts) {
    yield* reply.read(part);
    if (reply.hasEnded) return;
  }
  throw cutOff();
}

/** Ends a reply whose call the provider refused; the model is asked again. Its usage is unknown. */
export function* endWithFault(message: string): Generator<ModelEvent, void> {
  yield { type: "fault", message };
  const usage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };
  yield { type: "finish", reason: "stop", usage };
}

export function cutOff(reason = "the stream ended early."): ModelError {
  return new ModelError("cut", `The reply was cut off: ${reason}`);
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

interface OpenPart {
  /** Unique in the reply, unlike the ids of some providers. */
  readonly id: string;
  meta: ProviderMeta | undefined;
}

class Reply {
  hasEnded = false;
  readonly #reading: Reading;
  readonly #open = new Map<string, OpenPart>();
  #parts = 0;
  #calls = 0;
  #hasText = false;
  #hasCutCall = false;
  /**
   * Events from the first doubtful call on. Only the end of the reply shows whether that call is complete; in a cut
   * reply it must not be made.
   */
  readonly #held: Held[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  *read(part: LanguageModelV4StreamPart): Generator<ModelEvent, void> {
    if (part.type === "finish") {
      yield* this.#end(part);
      this.hasEnded = true;
      return;
    }
    const refused = part.type === "error" ? refusedCall(part.error) : undefined;
    if (refused !== undefined) {
      for (const { id, meta } of this.#open.values()) yield partEnd(id, meta);
      yield* endWithFault(refused);
      this.hasEnded = true;
      return;
    }
    for (const held of this.#convert(part)) {
      if (this.#held.length > 0 || held.isDoubtful) this.#held.push(held);
      else yield held.event;
    }
  }

  *#convert(part: LanguageModelV4StreamPart): Generator<Held, void> {
    switch (part.type) {
      case "stream-start":
        for (const message of part.warnings.map(warningText)) {
          if (this.#reading.isNews(message)) yield sure({ type: "warning", message });
        }
        return;
      case "text-start":
      case "reasoning-start":
        yield sure(this.#begin(part));
        return;
      case "text-delta":
      case "reasoning-delta": {
        const kind = part.type === "text-delta" ? "text" : "reasoning";
        // Some streams skip the start of a part, or continue one that has ended.
        if (!this.#open.has(`${kind}:${part.id}`))
          yield sure(this.#begin({ ...part, type: `${kind}-start` }));
        const open = this.#open.get(`${kind}:${part.id}`)!;
        open.meta = merged(open.meta, part.providerMetadata);
        if (kind === "text" && part.delta.trim() !== "") this.#hasText = true;
        if (part.delta !== "") yield sure({ type: "part-delta", id: open.id, text: part.delta });
        return;
      }
      case "text-end":
      case "reasoning-end": {
        const key = `${part.type === "text-end" ? "text" : "reasoning"}:${part.id}`;
        const open = this.#open.get(key);
        if (open === undefined) return;
        this.#open.delete(key);
        yield sure(partEnd(open.id, merged(open.meta, part.providerMetadata)));
        return;
      }
      case "tool-input-start":
        if (!part.providerExecuted) yield sure({ type: "call-start", id: part.id, name: part.toolName });
        return;
      case "tool-input-delta":
        if (part.delta !== "") yield sure({ type: "call-delta", id: part.id, text: part.delta });
        return;
      case "tool-call":
        if (part.providerExecuted) return;
        this.#calls += 1;
        yield readCall(part, this.#reading.offered, this.#reading.route.tools);
        return;
      case "error":
        if (!this.#reading.route.isCutCall?.(part.error)) throw part.error;
        this.#hasCutCall = true;
    }
  }

  #begin(part: Extract<LanguageModelV4StreamPart, { type: "text-start" | "reasoning-start" }>): ModelEvent {
    const kind = part.type === "text-start" ? "text" : "reasoning";
    const open = { id: `${kind}_${++this.#parts}`, meta: merged(undefined, part.providerMetadata) };
    this.#open.set(`${kind}:${part.id}`, open);
    return { type: "part-start", id: open.id, part: kind };
  }

  /** A reply that fails at its end has been charged. */
  *#end(finish: Finish): Generator<ModelEvent, void> {
    try {
      yield* this.#whole(finish);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const { code, message, hint } = error;
      throw new ModelError(code, message, { hint, usage: toUsage(finish.usage), cause: error });
    }
  }

  *#whole({ finishReason: given, usage, providerMetadata }: Finish): Generator<ModelEvent, void> {
    const { route } = this.#reading;
    // After an error the package reports no finish reason, but it reports usage only when the reply has ended.
    const isCutAtCall = this.#hasCutCall && given.raw === undefined && usage.inputTokens.total !== undefined;
    const finishReason = isCutAtCall ? { unified: "length" as const, raw: undefined } : given;
    const { unified, raw } = finishReason;
    const fault = raw === undefined ? undefined : route.fault?.(raw, providerMetadata);
    const reason = fault === undefined ? this.#reasonOf(finishReason) : "stop";
    const isCut = unified === "length" || unified === "content-filter";
    const kept = isCut ? this.#held.filter((_, index) => this.#isWhole(index)) : this.#held;
    this.#calls -= this.#held.length - kept.length;
    for (const { event } of kept) yield event;
    for (const { id, meta } of this.#open.values()) yield partEnd(id, meta);
    if (fault !== undefined) yield { type: "fault", message: fault };
    else if (reason === "stop" && this.#calls === 0 && !this.#hasText)
      throw new ModelError("empty", "The reply is empty.");
    else if (unified === "tool-calls" && this.#calls === 0)
      throw cutOff("it announced tool calls, but contains none.");
    const meta = providerMetadata && route.replyMeta?.(providerMetadata);
    yield {
      type: "finish",
      reason: reason === "stop" && this.#calls > 0 ? "calls" : reason,
      usage: toUsage(usage),
      meta,
    };
  }

  /** In a cut reply, a call is incomplete when it cannot be read, or when nothing came after it. */
  #isWhole(index: number): boolean {
    const { event, isDoubtful } = this.#held[index]!;
    if (!isDoubtful || event.type !== "call") return true;
    const isLast = !this.#held.slice(index + 1).some((later) => /start$|^call$/.test(later.event.type));
    return event.call.input.ok && !isLast;
  }

  #reasonOf({ unified, raw }: Finish["finishReason"]): FinishReason {
    const reason = finishReasons.get(unified);
    if (reason !== undefined) return reason;
    if (raw !== undefined && this.#reading.route.otherEnds?.has(raw.toLowerCase())) return "stop";
    throw cutOff(raw === undefined ? undefined : `the provider ended it with "${raw}".`);
  }
}

const finishReasons = new Map<Finish["finishReason"]["unified"], FinishReason>([
  ["stop", "stop"],
  ["tool-calls", "calls"],
  ["length", "length"],
  ["content-filter", "filtered"],
]);

function sure(event: ModelEvent): Held {
  return { event, isDoubtful: false };
}

function partEnd(id: string, meta: ProviderMeta | undefined): ModelEvent {
  return { type: "part-end", id, meta };
}

/** Later metadata takes precedence, because a signature comes last; nothing is lost. */
function merged(
  before: ProviderMeta | undefined,
  after: SharedV4ProviderMetadata | undefined,
): ProviderMeta | undefined {
  if (after === undefined) return before;
  if (before === undefined) return after;
  const providers = Object.entries(after).map(([provider, values]) => [
    provider,
    { ...(before[provider] as object | undefined), ...values },
  ]);
  return { ...before, ...Object.fromEntries(providers) };
}

type Warning = { readonly type: string } & Partial<Record<"message" | "feature" | "details", string>>;

function warningText({ type, message, feature = "unknown feature", details }: Warning): string {
  if (message !== undefined) return message;
  return `${feature}: ${details ?? (type === "unsupported" ? "not supported by this model" : type)}`;
}

interface Held {
  readonly event: ModelEvent;
  /** Whether this call may have been cut, which only the end of the reply shows. */
  readonly isDoubtful: boolean;
}

/** Reads the arguments of a call, or says why they cannot be read. */
function readCall(
  { toolCallId: id, toolName: name, input: sent, providerMetadata: meta }: LanguageModelV4ToolCall,
  offered: OfferedTools,
  { isStrict }: ToolFormat,
): Held {
  const given = offered.deferralOf(name)?.call?.read(sent) ?? sent;
  const definition = offered.find(name);
  const isFreeform = offered.isFreeform(name);
  const read = isFreeform
    ? // The package passes the text of custom calls as JSON.
      readFreeform(definition, { name, text: tryParseJson(given) ?? given })
    : isStrict
      ? readStrict(definition, readArguments(given))
      : readArguments(given);
  const input = read.ok ? read : { ok: false as const, given, problem: read.problem };
  const call: CallPart = { type: "call", id, name, input, meta };
  return { event: { type: "call", call }, isDoubtful: isFreeform || !read.ok || isNothing(given) };
}

/** SDK packages turn a call that was cut before its arguments into one without arguments. */
function isNothing(given: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(given);
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage {
  const cached = asCount(inputTokens.cacheRead);
  const cacheWritten = asCount(inputTokens.cacheWrite);
  const input = inputTokens.total ?? (inputTokens.noCache ?? 0) + cached + cacheWritten;
  return {
    // More cached tokens than tokens would make the rest, and the cost, negative.
    input: Math.max(asCount(input), cached + cacheWritten),
    cached,
    cacheWritten,
    output: asCount(outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0)),
    reasoning: asCount(outputTokens.reasoning),
  };
}

/** A provider's number can be wrong. A negative one would give back money of a budget. */
function asCount(value: number | undefined): number {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : 0;
}
