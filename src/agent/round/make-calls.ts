import { inOrder } from "../../adapters/calls.ts";
import type { Image } from "../../contract/tool.ts";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { CallAnswer, CallPart } from "../../models/message.ts";
import type { Approve, CallEvent, Caller, CallFailure, CallResult } from "../../toolcrib/index.ts";
import type { AgentHappening } from "../event.ts";
import type { HookedCall, SessionHooks } from "../session.ts";
import type { Recorder } from "../session-parts.ts";
import { askAfter, askBefore, errorMessage } from "./hooks.ts";

/** Where the calls of a session are made. */
interface Counter {
  readonly caller: Caller;
  /** As the model was told of them, by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly hooks: SessionHooks;
  /** Asks the person about the call of this id. */
  readonly approverFor: (id: string) => Approve | undefined;
  readonly recorder: Recorder;
  readonly emit: (happening: AgentHappening) => void;
}

/** How a call ended, for the conversation and for whoever watches the model. */
export interface MadeCall {
  readonly answer: CallAnswer;
  /** The tool that was meant. */
  readonly canonical: string;
  readonly input: unknown;
  /** What kind of failure it was; undefined where it was none. */
  readonly failure: string | undefined;
}

/** Makes the calls of one reply. Each is answered exactly once, in their order, whatever happens; never rejects. */
export async function makeCalls(
  calls: readonly CallPart[],
  counter: Counter,
  signal: AbortSignal,
): Promise<readonly MadeCall[]> {
  const takeTurn = inOrder(namesOfReading(counter.tools));
  return Promise.all(calls.map((call) => takeTurn(call.name, () => makeCall(call, counter, signal))));
}

function namesOfReading(tools: Counter["tools"]): ReadonlySet<string> {
  let names = reading.get(tools);
  if (names === undefined) {
    const isReading = ({ effects, canonical }: ToolDefinition) =>
      effects.readOnly || canonical === beginsBeside;
    names = new Set([...tools.values()].filter(isReading).map(({ name }) => name));
    reading.set(tools, names);
  }
  return names;
}

/** Agents of one reply begin side by side, also those that are waited for. */
const beginsBeside = "agent.spawn";

const reading = new WeakMap<Counter["tools"], ReadonlySet<string>>();

/** Makes one call and tells of it. Never rejects: whatever goes wrong is its answer. */
async function makeCall(call: CallPart, counter: Counter, signal: AbortSignal): Promise<MadeCall> {
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
  return notMade(`The call failed unexpectedly: ${errorMessage(error)}`, "internal");
}

function notMade(content: string, failure: string): CallOutcome {
  return { content, isError: true, images: [], error: null, data: null, failure };
}
