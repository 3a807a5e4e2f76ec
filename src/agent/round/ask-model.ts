import type { Model, ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentEventBody } from "../event.ts";
import { formatDuration, longestTimer, pause, retryWait } from "../retry.ts";
import type { SessionLimits } from "../session.ts";
import type { SessionCore } from "../session-core.ts";
import type { HookedRequest } from "../session-hooks.ts";
import { askHook, blockedBy } from "./hooks.ts";
import { type ReadReply, ReplyReader } from "./reply-reader.ts";

interface Asking {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly limits: Pick<SessionLimits, "retries" | "retryWaitMs" | "silenceMs">;
  readonly signal: AbortSignal;
  readonly nextId: () => number;
  readonly emit: (happening: AgentEventBody) => void;
}

export type Asked =
  | { readonly isWhole: true; readonly reply: ReadReply }
  | { readonly isWhole: false; readonly shownText: string };

/**
 * Asks the model of a session, with its hooks before and after the request. Throws `denied` when one of them blocks
 * it.
 */
export async function askWithHooks(
  core: SessionCore,
  given: ModelRequest,
  purpose: HookedRequest["purpose"],
  signal: AbortSignal,
  emit: Asking["emit"] = core.emit,
): Promise<Asked> {
  const { model, nextNumber: nextId, parts } = core;
  const { hooks, limits, parent, id, crib } = parts;
  const agent = parent && id.slice(crib.session.length + 1);
  const about = { request: given, model: model.id, purpose, agent };
  const before = await askHook(hooks, "PreModelRequest", [about], signal);
  if (before && "block" in before) throw blockedBy("PreModelRequest", before.block);
  const request = { ...given, ...before?.request };
  const asked = await askModel({ model, request, limits, signal, nextId, emit });
  if (!asked.isWhole) return asked;
  const { message, reason, usage } = asked.reply;
  const reply = { message, reason, usage };
  const after = await askHook(hooks, "PostModelRequest", [{ ...about, request }, reply], signal);
  if (after === undefined) return asked;
  core.spend(model, usage);
  throw blockedBy("PostModelRequest", after.block);
}

/**
 * Asks a model, with retries, until a reply is complete. Parts of failed attempts do not count. Throws permanent
 * errors.
 */
async function askModel(asking: Asking): Promise<Asked> {
  const { signal, limits, emit } = asking;
  for (let attempt = 1; ; attempt += 1) {
    const reader = new ReplyReader(asking.model.id, asking.nextId, emit);
    try {
      return { isWhole: true, reply: await readReply(reader, asking) };
    } catch (error) {
      reader.breakOff();
      if (signal.aborted) return { isWhole: false, shownText: reader.shownText };
      if (!(error instanceof ModelError)) throw error;
      const waitMs = retryWait({ error, attempt, limits });
      emit({ type: "retry", attempt, waitMs, code: error.code, message: error.message });
      await pause(waitMs, signal);
      if (signal.aborted) return { isWhole: false, shownText: "" };
    }
  }
}

async function readReply(reader: ReplyReader, asking: Asking): Promise<ReadReply> {
  const { model, request, limits, signal } = asking;
  let reply: ReadReply | undefined;
  const open = (ending: AbortSignal) => model.stream(request, ending);
  await eachEvent(open, { signal, silenceMs: limits.silenceMs }, (event) => {
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
