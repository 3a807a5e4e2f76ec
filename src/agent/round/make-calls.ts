import { callAgain, inOrder } from "../../adapters/calls.ts";
import type { FoundTools } from "../../contract/tool.ts";
import type { ToolDefinition } from "../../dialects/definition.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import type { CallAnswer, CallPart } from "../../models/message.ts";
import { askAfter, askBefore, errorMessage, type HookedCall } from "../../toolcrib/call-hooks.ts";
import { withoutApproval } from "../../toolcrib/call-result.ts";
import type { Approve, CallEvent, Caller, CallResult } from "../../toolcrib/index.ts";
import type { AgentEventBody } from "../event.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { Recorder } from "../session-parts.ts";

interface CallContext {
  readonly caller: Caller;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly hooks: SessionHooks;
  /** Asks the user about the call with this id. */
  readonly approverFor: (id: string) => Approve | undefined;
  readonly recorder: Recorder;
  readonly emit: (happening: AgentEventBody) => void;
}

export interface MadeCall {
  readonly answer: CallAnswer;
  readonly canonical: string;
  readonly input: unknown;
  readonly failure: string | undefined;
}

/** Makes the calls of one reply. Each is answered exactly once, in order. Never rejects. */
export async function makeCalls(
  calls: readonly CallPart[],
  context: CallContext,
  signal: AbortSignal,
): Promise<readonly MadeCall[]> {
  const inTurn = inOrder(parallelTools(context.tools));
  return Promise.all(calls.map((call) => inTurn(call.name, () => makeCall(call, context, signal))));
}

/** Read-only tools, and `agent.spawn`: the subagents of one reply start in parallel, even when they are awaited. */
const parallelTools = oncePerObject((tools: CallContext["tools"]): ReadonlySet<string> => {
  const parallel = [...tools.values()].filter(
    ({ effects, canonical }) => effects.readOnly || canonical === "agent.spawn",
  );
  return new Set(parallel.map(({ name }) => name));
});

/** Makes one call and emits its events. Never rejects: any failure is its answer. */
async function makeCall(call: CallPart, context: CallContext, signal: AbortSignal): Promise<MadeCall> {
  const { id, name, input } = call;
  const { emit, recorder } = context;
  const startedAt = monotonicMs();
  const known = context.tools.get(name)?.canonical ?? name;
  const progress: CallProgress = { callId: null, canonical: known, fullText: null };
  const given = input.ok ? input.value : input.given;
  emit({ type: "tool-start", id, name, canonical: known, input: given });
  const outcome = await outcomeOf(call, context, progress, signal).catch((error) =>
    notMade(`The call failed unexpectedly: ${errorMessage(error)}`, "internal"),
  );
  const { content, isError, images, error, data, failure, made } = outcome;
  const { callId, canonical, fullText } = progress;
  const found = canonical === "tools.find" ? foundIn(data) : undefined;
  const answer: CallAnswer = { id, name, content, isError, images, ...(found && { found }) };
  recorder.add({ kind: "answer", answer, callId });
  const shown = {
    id,
    name,
    canonical,
    output: fullText ?? content,
    shown: content,
    isError,
    error: withoutApproval(error),
    data,
  };
  emit({ type: "tool-end", ...shown, callId, durationMs: monotonicMs() - startedAt });
  return { answer, canonical, input: made ?? given, failure };
}

function foundIn(data: unknown): readonly string[] | undefined {
  return (data as Partial<FoundTools> | null)?.tools?.map(({ name }) => name);
}

interface CallProgress {
  callId: string | null;
  canonical: string;
  fullText: string | null;
}

interface CallOutcome
  extends Pick<CallResult, "content" | "isError" | "images" | "error" | "data">,
    Pick<MadeCall, "failure"> {
  /** The arguments after the PreToolUse hook. */
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
    return notMade(`${call.input.problem}\n${callAgain}`, "unreadable");
  }
  const { hooks } = context;
  const { id, name, input } = call;
  const asked: HookedCall = { id, name, canonical: progress.canonical, input: input.value };
  const checked = await askBefore(hooks, asked, signal);
  if (signal.aborted) return notMade(stopped, "stopped");
  if (!checked.ok) return notMade(checked.reason, checked.failure);
  const made: HookedCall = { ...asked, input: checked.input };
  const result = await callTool(made, context, progress, signal);
  const { content, failed } = await askAfter(hooks, made, result, signal);
  const failure = failed ? "hook" : result.isError ? (result.error?.code ?? "failed") : undefined;
  return { ...result, content, isError: result.isError || failed, failure, made: made.input };
}

const stopped = "The call was not made: the user interrupted the turn.";

async function callTool(
  call: HookedCall,
  { caller, approverFor, recorder, emit }: CallContext,
  progress: CallProgress,
  signal: AbortSignal,
): Promise<CallResult> {
  const { id } = call;
  const onEvent = (event: CallEvent) => {
    if (event.parent !== undefined) return emitInner(event, id, emit);
    switch (event.type) {
      case "tool-start":
        progress.callId = event.callId;
        progress.canonical = event.canonical;
        return recorder.add({ kind: "begun", id, callId: event.callId });
      case "tool-progress":
        return emit({ type: "tool-progress", id, message: event.message });
      case "tool-output":
        return emit({ type: "tool-output", id, stream: event.stream, text: event.text });
      case "tool-end":
        if (event.error === null) progress.fullText = event.output;
    }
  };
  const approve = approverFor(id);
  return caller.call(call.name, call.input, { signal, onEvent, approve, onlyOffered: true });
}

/** Emits the start and the end of a call that a script makes. `id` is that of the script. */
function emitInner(event: CallEvent, id: string, emit: CallContext["emit"]): void {
  const { callId, name, canonical } = event;
  if (event.type === "tool-start")
    emit({ type: "inner-start", id, callId, name, canonical, input: event.input });
  if (event.type !== "tool-end") return;
  const { isError, error, durationMs } = event;
  emit({ type: "inner-end", id, callId, name, canonical, isError, error, durationMs });
}

function notMade(content: string, failure: string): CallOutcome {
  return { content, isError: true, images: [], error: null, data: null, failure };
}
