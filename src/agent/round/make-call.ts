import type { Image } from "../../contract/tool.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { CallPart } from "../../models/message.ts";
import type { CallEvent, CallFailure, CallResult } from "../../toolcrib/index.ts";
import type { HookedCall } from "../session.ts";
import { wordsOf } from "../words-of.ts";
import { askAfter, askBefore } from "./ask-hooks.ts";
import type { Counter, MadeCall } from "./make-calls.ts";

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
  const outcome = await outcomeOf(call, counter, watched, signal).catch(unexpected);
  const { content, isError, images, error, data, failure, made } = outcome;
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
  if (signal.aborted) return notMade(stopped, "stopped");
  if (!call.input.ok) {
    const content = `${call.input.problem}\nNothing was done: make the call again with whole arguments.`;
    return notMade(content, "unreadable");
  }
  const { hooks } = counter;
  const { id, name, input } = call;
  const asked: HookedCall = { id, name, canonical: watched.canonical, input: input.value };
  const checked = await askBefore(hooks, asked, signal);
  if (signal.aborted) return notMade(stopped, "stopped");
  if (!checked.mayGoOn) return notMade(checked.why, checked.failure);
  const made: HookedCall = { ...asked, input: checked.input };
  const result = await callTool(made, counter, watched, signal);
  const { content, failed } = await askAfter(hooks, made, result, signal);
  const failure = failed ? "hook" : result.isError ? (result.error?.code ?? "failed") : undefined;
  return { ...result, content, isError: result.isError || failed, failure, made: made.input };
}

const stopped = "Not made: the person stopped the turn.";

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

/** Nothing is left unanswered, also not for a fault of our own. */
function unexpected(error: unknown): CallOutcome {
  return notMade(`The call failed unexpectedly: ${wordsOf(error)}`, "internal");
}

function notMade(content: string, failure: string): CallOutcome {
  return { content, isError: true, images: [], error: null, data: null, failure };
}
