import type { Image } from "../../contract/tool.ts";
import type { CallPart } from "../../models/message.ts";
import { monotonicMs } from "../../text/clock.ts";
import type { CallEvent, CallFailure, CallResult } from "../../toolcrib.ts";
import type { HookedCall } from "../session.ts";
import type { Counter, MadeCall } from "./make-calls.ts";
import { untilStopped } from "./until-stopped.ts";

/** Makes one call and tells of it. Never rejects: whatever goes wrong is its answer. */
export async function makeCall(call: CallPart, counter: Counter, signal: AbortSignal): Promise<MadeCall> {
  const { id, name, input } = call;
  const { emit, recorder } = counter;
  const startedAt = monotonicMs();
  const watched: Watched = {
    callId: null,
    canonical: counter.tools.get(name)?.canonical ?? name,
    fullText: null,
  };
  const given = input.ok ? input.value : input.given;
  emit({ type: "tool-start", id, name, canonical: watched.canonical, input: given });
  const { content, isError, images, error, data, failure, made } = await outcomeOf(
    call,
    counter,
    watched,
    signal,
  );
  const { callId, canonical } = watched;
  const answer = { id, name, content, isError, images };
  recorder.add({ kind: "answer", answer, callId });
  emit({
    type: "tool-end",
    id,
    name,
    canonical,
    output: watched.fullText ?? content,
    shown: content,
    isError,
    error,
    data,
    callId,
    durationMs: monotonicMs() - startedAt,
  });
  return { answer, canonical, input: made ?? given, failure };
}

/** What becomes known of a call while it is made. */
interface Watched {
  callId: string | null;
  canonical: string;
  fullText: string | null;
}

interface CallOutcome {
  readonly content: string;
  readonly isError: boolean;
  readonly images: readonly Image[];
  readonly error: CallFailure | null;
  readonly data: unknown;
  readonly failure: string | undefined;
  /** The arguments it was made with. */
  readonly made?: unknown;
}

async function outcomeOf(
  call: CallPart,
  counter: Counter,
  watched: Watched,
  signal: AbortSignal,
): Promise<CallOutcome> {
  if (signal.aborted) return notMade("Not made: the person stopped the turn.", "stopped");
  if (!call.input.ok) {
    const content = `${call.input.problem}\nNothing was done: make the call again with whole arguments.`;
    return notMade(content, "unreadable");
  }
  const { hooks } = counter;
  let hooked: HookedCall = {
    id: call.id,
    name: call.name,
    canonical: watched.canonical,
    input: call.input.value,
  };
  try {
    const decision = hooks.beforeCall && (await untilStopped(hooks.beforeCall(hooked), signal));
    if (signal.aborted) return notMade("Not made: the person stopped the turn.", "stopped");
    if (decision && "refuse" in decision) return notMade(decision.refuse, "refused");
    if (decision) hooked = { ...hooked, input: decision.input };
  } catch (error) {
    return notMade(`Not made: the program could not check this call: ${wordsOf(error)}`, "hook");
  }
  const result = await callTool(hooked, counter, watched, signal);
  const failure = result.isError ? (result.error?.code ?? "failed") : undefined;
  const outcome = { ...result, failure, made: hooked.input };
  if (!hooks.afterCall) return outcome;
  try {
    const content = await untilStopped(hooks.afterCall(hooked, result), signal);
    return content === undefined ? outcome : { ...outcome, content };
  } catch (error) {
    const note = `[The call was made; what the program does after it failed: ${wordsOf(error)}]`;
    return { ...outcome, content: `${result.content}\n${note}`, isError: true, failure: "hook" };
  }
}

async function callTool(
  call: HookedCall,
  { caller, approverFor, recorder, emit }: Counter,
  watched: Watched,
  signal: AbortSignal,
): Promise<CallResult> {
  const { id } = call;
  const onEvent = (event: CallEvent) => {
    switch (event.type) {
      case "start":
        watched.callId = event.callId;
        watched.canonical = event.tool;
        return recorder.add({ kind: "begun", id, callId: event.callId });
      case "progress":
        return emit({ type: "tool-progress", id, message: event.message });
      case "output":
        return emit({ type: "tool-output", id, stream: event.stream, text: event.text });
      case "end":
        watched.fullText = event.result.fullText;
        return;
      default:
    }
  };
  const approve = approverFor(id);
  return caller.call(call.name, call.input, { signal, onEvent, ...(approve && { approve }) });
}

function notMade(content: string, failure: string): CallOutcome {
  return { content, isError: true, images: [], error: null, data: null, failure };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
