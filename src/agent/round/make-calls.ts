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

/** What calls need of their session. */
interface CallContext {
  readonly caller: Caller;
  /** By the name that the model knows. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly hooks: SessionHooks;
  /** Asks the user about the call with this id. */
  readonly approverFor: (id: string) => Approve | undefined;
  readonly recorder: Recorder;
  readonly emit: (happening: AgentHappening) => void;
}

/** A call that has ended. */
export interface MadeCall {
  readonly answer: CallAnswer;
  readonly canonical: string;
  readonly input: unknown;
  /** The kind of failure; undefined when it succeeded. */
  readonly failure: string | undefined;
}

/** Makes the calls of one reply. Each is answered exactly once, in order. Never rejects. */
export async function makeCalls(
  calls: readonly CallPart[],
  context: CallContext,
  signal: AbortSignal,
): Promise<readonly MadeCall[]> {
  const inTurn = inOrder(namesOfReaders(context.tools));
  return Promise.all(calls.map((call) => inTurn(call.name, () => makeCall(call, context, signal))));
}

function namesOfReaders(tools: CallContext["tools"]): ReadonlySet<string> {
  let names = reading.get(tools);
  if (names === undefined) {
    const isReading = ({ effects, canonical }: ToolDefinition) =>
      effects.readOnly || canonical === startsInParallel;
    names = new Set([...tools.values()].filter(isReading).map(({ name }) => name));
    reading.set(tools, names);
  }
  return names;
}

/** Subagents of one reply start in parallel, even when they are awaited. */
const startsInParallel = "agent.spawn";

const reading = new WeakMap<CallContext["tools"], ReadonlySet<string>>();

/** Makes one call and emits its events. Never rejects: any failure is its answer. */
async function makeCall(call: CallPart, context: CallContext, signal: AbortSignal): Promise<MadeCall> {
  const { id, name, input } = call;
  const { emit, recorder } = context;
  const startedAt = monotonicMs();
  const progress: CallProgress = {
    callId: null,
    canonical: context.tools.get(name)?.canonical ?? name,
    fullText: null,
  };
  const given = input.ok ? input.value : input.given;
  emit({ type: "tool-start", id, name, canonical: progress.canonical, input: given });
  const outcome = await outcomeOf(call, context, progress, signal).catch(unexpected);
  const { content, isError, images, error, data, failure, made } = outcome;
  const { callId, canonical } = progress;
  const answer = { id, name, content, isError, images };
  recorder.add({ kind: "answer", answer, callId });
  emit({
    type: "tool-end",
    id,
    name,
    canonical,
    output: progress.fullText ?? content,
    shown: content,
    isError,
    error,
    data,
    callId,
    durationMs: monotonicMs() - startedAt,
  });
  return { answer, canonical, input: made ?? given, failure };
}

/** What is learned about a call while it runs. */
interface CallProgress {
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
  /** The arguments after the `beforeCall` hook. */
  readonly made?: unknown;
}

async function outcomeOf(
  call: CallPart,
  context: CallContext,
  progress: CallProgress,
  signal: AbortSignal,
): Promise<CallOutcome> {
  if (signal.aborted) return notMade(stopped, "stopped");
  if (!call.input.ok) {
    const content = `${call.input.problem}\nNothing was done: make the call again with whole arguments.`;
    return notMade(content, "unreadable");
  }
  const { hooks } = context;
  const { id, name, input } = call;
  const asked: HookedCall = { id, name, canonical: progress.canonical, input: input.value };
  const checked = await askBefore(hooks, asked, signal);
  if (signal.aborted) return notMade(stopped, "stopped");
  if (!checked.mayGoOn) return notMade(checked.why, checked.failure);
  const made: HookedCall = { ...asked, input: checked.input };
  const result = await callTool(made, context, progress, signal);
  const { content, failed } = await askAfter(hooks, made, result, signal);
  const failure = failed ? "hook" : result.isError ? (result.error?.code ?? "failed") : undefined;
  return { ...result, content, isError: result.isError || failed, failure, made: made.input };
}

const stopped = "Not made: the person stopped the turn.";

async function callTool(
  call: HookedCall,
  { caller, approverFor, recorder, emit }: CallContext,
  progress: CallProgress,
  signal: AbortSignal,
): Promise<CallResult> {
  const { id } = call;
  const onEvent = (event: CallEvent) => {
    switch (event.type) {
      case "start":
        progress.callId = event.callId;
        progress.canonical = event.tool;
        return recorder.add({ kind: "begun", id, callId: event.callId });
      case "progress":
        return emit({ type: "tool-progress", id, message: event.message });
      case "output":
        return emit({ type: "tool-output", id, stream: event.stream, text: event.text });
      case "end":
        progress.fullText = event.result.fullText;
        return;
      default:
    }
  };
  const approve = approverFor(id);
  return caller.call(call.name, call.input, { signal, onEvent, approve });
}

/** Every call is answered, even after an internal error. */
function unexpected(error: unknown): CallOutcome {
  return notMade(`The call failed unexpectedly: ${errorMessage(error)}`, "internal");
}

function notMade(content: string, failure: string): CallOutcome {
  return { content, isError: true, images: [], error: null, data: null, failure };
}
