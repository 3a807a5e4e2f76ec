import { estimateBrokenUsage } from "../../models/estimate-usage.ts";
import type { Model, ModelEvent, ModelRequest, TokenUsage } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentEventBody } from "../event.ts";
import { formatDuration, longestTimer, pause, retryWait } from "../retry.ts";
import type { SessionCore } from "../session-core.ts";
import type { HookedRequest } from "../session-hooks.ts";
import { askHook, blockedBy } from "./hooks.ts";
import { type ReadReply, ReplyReader } from "./reply-reader.ts";

interface Asking {
  readonly core: SessionCore;
  readonly model: Model;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly emit: (happening: AgentEventBody) => void;
}

/** Another request would pass a limit of the session. */
export class LimitReached extends Error {
  readonly limit: "tokens" | "cost";

  constructor(limit: "tokens" | "cost") {
    super(`The session reached its limit of ${limit}.`);
    this.limit = limit;
  }
}

export type Asked =
  | { readonly isWhole: true; readonly reply: ReadReply }
  | { readonly isWhole: false; readonly shownText: string };

/**
 * Asks the model of a session, with its hooks before and after the request. Throws `denied` when one of them blocks
 * it, and `LimitReached` before a request that a limit forbids.
 */
export async function askWithHooks(
  core: SessionCore,
  given: ModelRequest,
  purpose: HookedRequest["purpose"],
  signal: AbortSignal,
  emit: Asking["emit"] = core.emit,
): Promise<Asked> {
  const { model, parts } = core;
  const { hooks, parent, id, crib } = parts;
  const agent = parent && id.slice(crib.session.length + 1);
  const about = { request: given, model: model.id, purpose, agent };
  const before = await askHook(hooks, "PreModelRequest", [about], signal);
  if (before && "block" in before) throw blockedBy("PreModelRequest", before.block);
  const request = { ...given, ...before?.request };
  const asked = await askModel({ core, model, request, signal, emit });
  if (!asked.isWhole) return asked;
  const { message, reason, usage } = asked.reply;
  const reply = { message, reason, usage };
  try {
    const after = await askHook(hooks, "PostModelRequest", [{ ...about, request }, reply], signal);
    if (after === undefined) return asked;
    throw blockedBy("PostModelRequest", after.block);
  } catch (error) {
    core.spend(model, usage);
    throw error;
  }
}

/**
 * Asks a model, with retries, until a reply is complete. Parts of failed attempts do not count, but they are charged.
 * Throws permanent errors.
 */
async function askModel(asking: Asking): Promise<Asked> {
  const { core, model, signal, emit } = asking;
  const { limits } = core.parts;
  let emptyReplies = 0;
  for (let attempt = 1; ; attempt += 1) {
    const reader = new ReplyReader(model.id, core.nextNumber, emit);
    const received = new ReceivedText();
    try {
      await core.beginRequest(signal);
      if (core.limitReached !== undefined) throw new LimitReached(core.limitReached);
      return { isWhole: true, reply: await readReply(reader, received, asking) };
    } catch (error) {
      reader.breakOff();
      const usage = usageOf(error) ?? received.usage(asking.request);
      if (usage) core.spend(model, usage);
      else core.endRequest();
      if (signal.aborted) return { isWhole: false, shownText: reader.shownText };
      if (!(error instanceof ModelError)) throw error;
      emptyReplies = error.code === "empty" ? emptyReplies + 1 : 0;
      if (emptyReplies === mostEmptyReplies) throw emptyTooOften(model.id);
      const waitMs = retryWait({ error, attempt, limits });
      emit({ type: "retry", attempt, waitMs, code: error.code, message: error.message });
      await pause(waitMs, signal);
      if (signal.aborted) return { isWhole: false, shownText: "" };
    }
  }
}

/** The part of a reply that has arrived. */
class ReceivedText {
  #hasBegun = false;
  #text = "";

  add(event: ModelEvent): void {
    // An empty piece only says that the model is still awaited.
    this.#hasBegun ||= event.type !== "warning" && !(event.type === "call-delta" && event.text === "");
    if (event.type === "part-delta" || event.type === "call-delta") this.#text += event.text;
  }

  /** Estimates what the reply used; undefined when nothing came. */
  usage(request: ModelRequest): TokenUsage | undefined {
    return this.#hasBegun ? estimateBrokenUsage(request, this.#text) : undefined;
  }
}

function usageOf(error: unknown): TokenUsage | undefined {
  return error instanceof ModelError ? error.usage : undefined;
}

/** Each empty reply is paid for, and a model that gives several will give more. */
const mostEmptyReplies = 3;

function emptyTooOften(model: string): ModelError {
  return new ModelError("empty", `${model} gave ${mostEmptyReplies} empty replies in a row.`, {
    hint: "Rephrase the request, or use another model.",
  });
}

async function readReply(reader: ReplyReader, received: ReceivedText, asking: Asking): Promise<ReadReply> {
  const { core, model, request, signal } = asking;
  let reply: ReadReply | undefined;
  const open = (ending: AbortSignal) => model.stream(request, ending);
  await eachEvent(open, { signal, silenceMs: core.parts.limits.silenceMs }, (event) => {
    received.add(event);
    reply = reader.read(event);
    return reply !== undefined;
  });
  if (reply) return reply;
  throw new ModelError("cut", `The reply of ${model.id} was cut off.`);
}

interface Watch {
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

/**
 * Passes on the events of a stream until `take` returns true. Throws at once when aborted, even if the stream ignores
 * its signal, and throws `timeout` when nothing comes for too long.
 */
export async function eachEvent<Event>(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  { signal, silenceMs }: Watch,
  take: (event: Event) => boolean,
): Promise<void> {
  signal.throwIfAborted();
  const ending = new AbortController();
  let giveUp: (reason: unknown) => void = () => {};
  const end = (reason: unknown) => {
    ending.abort(reason);
    giveUp(reason);
  };
  const stop = () => end(signal.reason);
  signal.addEventListener("abort", stop);
  const timer = silenceMs <= longestTimer ? setTimeout(() => end(silent(silenceMs)), silenceMs) : undefined;
  let iterator: AsyncIterator<Event> | undefined;
  try {
    const stream = open(ending.signal)[Symbol.asyncIterator]();
    iterator = stream;
    for (;;) {
      const result = await new Promise<IteratorResult<Event>>((resolve, reject) => {
        giveUp = reject;
        stream.next().then(resolve, reject);
      });
      ending.signal.throwIfAborted();
      if (result.done) return;
      if (take(result.value)) return letEnd(stream, ending);
      timer?.refresh();
    }
  } catch (error) {
    // The error of an aborted stream is not the reason for the abort.
    const reason = ending.signal.aborted ? ending.signal.reason : error;
    ending.abort();
    // This is not awaited, because a stream may hang.
    Promise.resolve(iterator?.return?.()).catch(() => {});
    throw reason;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Lets a stream end on its own for a while, so that its connection can be reused. */
function letEnd(stream: AsyncIterator<unknown>, ending: AbortController): void {
  const timer = setTimeout(() => ending.abort(), 2_000).unref();
  const forget = () => clearTimeout(timer);
  stream.next().then(forget, forget);
}

function silent(silenceMs: number): ModelError {
  return new ModelError("timeout", `The model sent nothing for ${formatDuration(silenceMs)}.`);
}

export function nextRequest({ parts, conversation, reasoning }: SessionCore): ModelRequest {
  const { system, tools, deferred, id, meter } = parts;
  const { outputLimit: maxOutputTokens } = meter;
  const { messages } = conversation;
  return { system, tools, deferred, messages, reasoning, cacheKey: id, maxOutputTokens };
}
