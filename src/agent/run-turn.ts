import { ToolError } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import type { Model, ModelRequest } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { errorMessage } from "../toolcrib/call-hooks.ts";
import type { HookAnswer } from "../toolcrib/index.ts";
import { type AnswerSchema, outputNotice, retryNotice } from "./answer-schema.ts";
import { clearOldImages, clearRefusedImages } from "./context/clear-images.ts";
import { clearOutputs } from "./context/clearing.ts";
import { compact, shortenIfNeeded } from "./context/compaction.ts";
import { textOf, userMessage } from "./conversation.ts";
import type { AgentFailure, TurnResult } from "./event.ts";
import { callsOf } from "./history.ts";
import { type Limit, limitReached } from "./limits.ts";
import { loopNotice, type WatchedCall } from "./loops.ts";
import type { UserSource } from "./records/session-entry.ts";
import { type Asked, askWithHooks, LimitReached, nextRequest } from "./round/ask-model.ts";
import { askHook, blockedBy } from "./round/hooks.ts";
import { type MadeCall, makeCalls } from "./round/make-calls.ts";
import type { ReadReply } from "./round/reply-reader.ts";
import type { SessionCore } from "./session-core.ts";
import type { HookedPrompt } from "./session-hooks.ts";
import type { OpenTurn } from "./session-parts.ts";

export interface TurnInput {
  /** Counts from 1. */
  readonly turn: number;
  /** Undefined to continue a turn that is open: the next request contains the conversation as it is. */
  readonly message: UserMessage | undefined;
  /** The work of the turn before it was continued. */
  readonly before?: OpenTurn | undefined;
  readonly source: UserSource;
  readonly isPinned: boolean;
  /** The form of the final answer. */
  readonly answer?: AnswerSchema | undefined;
}

/**
 * Runs one turn: asks the model, makes its calls, and repeats until a complete reply makes no call. Never rejects.
 * However it ends, every call in the conversation is answered, so that the session can continue.
 */
export async function runTurn(core: SessionCore, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const before = { usage: core.spending.usage, cost: core.spending.cost };
  const { turn, answer } = input;
  const { rounds: madeRounds = 0, calls: madeCalls = 0 } = input.before ?? {};
  const tally: Tally = { turn, answer, rounds: madeRounds, calls: madeCalls, text: "", cuts: 0, stops: 0 };
  const { outcome, limit, error = null } = await runRounds(core, input, tally, signal);
  const { rounds, calls, text, output = null } = tally;
  return {
    turn,
    rounds,
    calls,
    text,
    outcome,
    ...(limit && { limit }),
    error,
    ...(answer && { output: outcome === "completed" ? output : null }),
    ...core.spending.since(before),
  };
}

interface Tally {
  readonly turn: number;
  rounds: number;
  calls: number;
  text: string;
  /** Consecutive replies that were cut at the output limit of the model. */
  cuts: number;
  /** How often a hook kept the model from stopping. */
  stops: number;
  readonly answer: AnswerSchema | undefined;
  /** The JSON Schema of the answer, as requests contain it. */
  outputSchema?: ModelRequest["outputSchema"];
  /** The last answer that matched. */
  output?: unknown;
  /** Why the last answer did not match; undefined before the first such answer. */
  mismatch?: string;
}

async function runRounds(
  core: SessionCore,
  input: TurnInput,
  tally: Tally,
  signal: AbortSignal,
): Promise<Ending> {
  const { message } = input;
  const ending = message
    ? await sendInput(core, { ...input, message }, tally, signal)
    : continueTurn(core, input, tally);
  if (ending) return ending;
  core.loops.reset();
  try {
    for (;;) {
      const ending = await runRound(core, tally, signal);
      if (ending) return ending;
    }
  } catch (error) {
    if (error instanceof LimitReached) return limited(core, error.limit);
    if (!signal.aborted) return failed(core, error);
    core.conversation.addUser(userMessage(interrupted), { turn: input.turn, source: "notice" });
    return { outcome: "aborted" };
  }
}

/** Adds the input to the conversation. Returns how the turn ends when it cannot begin. */
async function sendInput(
  core: SessionCore,
  { message, turn, answer, ...options }: TurnInput & { readonly message: UserMessage },
  tally: Tally,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  const { conversation, parts } = core;
  if (turn > parts.limits.turns) return limited(core, "turns");
  if (parts.meter.isTooLong(message)) return failed(core, inputTooLong(core.model));
  let hook: HookAnswer;
  try {
    tally.outputSchema = await answer?.jsonSchema();
    hook = await submitHooks(core, { text: promptOf(message), turn }, signal);
  } catch (error) {
    return failed(core, error);
  }
  if (hook.block !== undefined) return failed(core, blockedMessage(hook));
  sendPlanNotice(core, turn);
  // The input is recorded before any abort check, so that an aborted turn does not lose it.
  conversation.addUser(message, { ...options, turn });
  if (hook.context !== undefined)
    conversation.addUser(userMessage(`[Hook: ${hook.context}]`), { turn, source: "notice" });
  if (tally.outputSchema)
    conversation.addUser(userMessage(outputNotice(tally.outputSchema)), { turn, source: "notice" });
  return undefined;
}

/** Returns the end of a turn whose last reply was recorded before the process ended. */
function continueTurn(
  { conversation }: SessionCore,
  { turn, before }: TurnInput,
  tally: Tally,
): Ending | undefined {
  const last = conversation.messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  if (before?.wasCut) {
    conversation.addUser(userMessage(cutNotice(0)), { turn, source: "notice" });
    return undefined;
  }
  tally.text = textOf(last);
  return { outcome: "completed" };
}

/** Returns undefined when the turn needs another round. */
async function runRound(core: SessionCore, tally: Tally, signal: AbortSignal): Promise<Ending | undefined> {
  const { parts, conversation, emit } = core;
  signal.throwIfAborted();
  if (core.isSuspended) return { outcome: "aborted" };
  sendSteering(core, tally);
  const limit = limitReached(core, tally.rounds);
  if (limit) return limited(core, limit);
  await shortenIfNeeded(core, signal);
  clearOldImages(core);
  signal.throwIfAborted();
  tally.rounds += 1;
  emit({ type: "round-start", round: tally.rounds });
  const { model } = core;
  const asked = await askNext(core, tally, signal);
  if (!asked.isWhole) {
    if (asked.shownText.trim()) conversation.addShown(model.id, asked.shownText);
    throw signal.reason;
  }
  const { reply } = asked;
  const message = takeReply(core, reply);
  emit({ type: "reply-end", reason: reply.reason });
  core.spend(model, reply.usage, { isOfReply: message !== undefined });
  tally.text = textOf(reply.message);
  if (reply.reason === "filtered")
    throw new ModelError("bad-request", "The provider's content filter blocked this request.", {
      hint: "Rephrase the request, or use another model.",
    });

  const calls = message ? callsOf(message) : [];
  const context = { ...parts, tools: core.toolsByName, approverFor: core.approverFor, emit };
  const made = await makeCalls(calls, context, signal);
  if (calls.length > 0) conversation.addAnswers(made.map(({ answer }) => answer));
  tally.calls += calls.length;
  signal.throwIfAborted();

  const isFault = reply.faults.length > 0;
  const loop = core.loops.note({ calls: made.map(watched), isFault, round: core.nextNumber() });
  if (loop) emit({ type: "loop", action: loop.action, calls: loop.calls, times: loop.times });
  if (loop?.action === "stopped") return { outcome: "loop" };
  const wasCut = reply.reason === "length";
  tally.cuts = wasCut && calls.length === 0 ? tally.cuts + 1 : 0;
  if (tally.cuts > mostCuts) throw cutTooOften(model.id, tally.cuts);
  const notices = [
    ...reply.faults,
    ...(wasCut ? [cutNotice(calls.length)] : []),
    ...(loop ? [loopNotice(loop)] : []),
  ];
  if (isFault && loop === undefined) emit({ type: "warning", message: notUnderstood });
  for (const notice of notices)
    conversation.addUser(userMessage(notice), { turn: tally.turn, source: "notice" });
  if (notices.length > 0 || calls.length > 0 || core.steering.length > 0) return undefined;
  const mismatch = await readAnswer(tally);
  if (mismatch !== undefined) return mismatched(core, tally, mismatch);
  return (await mayStop(core, tally, signal)) ? { outcome: "completed" } : undefined;
}

/** Reads the final answer of a turn with an output schema. Returns why it does not match; undefined when it does. */
async function readAnswer(tally: Tally): Promise<string | undefined> {
  const read = await tally.answer?.read(tally.text);
  if (read?.ok === false) return read.problem;
  tally.output = read?.value;
  return undefined;
}

/** Gives the model one more round for its answer, then fails the turn. */
function mismatched(core: SessionCore, tally: Tally, problem: string): Ending | undefined {
  if (tally.mismatch !== undefined)
    return failed(
      core,
      new MismatchedAnswer(`The final answer does not match the output schema: ${problem}.`),
    );
  tally.mismatch = problem;
  core.conversation.addUser(userMessage(retryNotice(problem)), { turn: tally.turn, source: "notice" });
  return undefined;
}

class MismatchedAnswer extends Error {}

/** Runs the Stop hooks. A hook that blocks gives the model another round with its reason, a few times per turn. */
async function mayStop(core: SessionCore, tally: Tally, signal: AbortSignal): Promise<boolean> {
  const { parts } = core;
  if (parts.parent !== undefined || tally.stops >= mostStops) return true;
  const { turn, text } = tally;
  const isContinued = tally.stops > 0;
  const own = await askHook(parts.hooks, "Stop", [{ turn, text, isContinued }], signal);
  const { block } = own ?? (await hooksOf(core, "Stop", { stop_hook_active: isContinued }, signal));
  if (block === undefined) return true;
  tally.stops += 1;
  core.conversation.addUser(userMessage(`[Hook: ${block}]`), { turn: tally.turn, source: "notice" });
  return false;
}

/** How often in a turn hooks may keep the model from stopping. */
const mostStops = 10;

/** Runs the hook of the program, then the user's commands. Subagents work for a turn that has its own hooks. */
async function submitHooks(
  core: SessionCore,
  prompt: HookedPrompt,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const { parts } = core;
  if (parts.parent !== undefined) return {};
  const own = await askHook(parts.hooks, "UserPromptSubmit", [prompt], signal);
  if (own && "block" in own) throw blockedBy("UserPromptSubmit", own.block);
  const answer = await hooksOf(core, "UserPromptSubmit", { prompt: prompt.text }, signal);
  const context = [own?.context, answer.context].filter((text) => text !== undefined);
  return { ...answer, context: context.join("\n") || undefined };
}

/** Runs the user's commands of an event. */
async function hooksOf(
  { parts }: SessionCore,
  event: "UserPromptSubmit" | "Stop",
  details: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<HookAnswer> {
  return parts.crib.runHooks(event, details, signal).catch((error) => {
    // The round that follows notices the abort.
    if (signal.aborted) return {};
    throw error;
  });
}

function promptOf({ content }: UserMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function blockedMessage({ block, source }: HookAnswer): ToolError {
  return new ToolError("denied", `The hook at ${source} blocked this message: ${block}`);
}

const notUnderstood = "The reply could not be parsed; asking the model again.";

function sendSteering(core: SessionCore, { turn }: Tally): void {
  const { steering, conversation, loops, emit } = core;
  sendPlanNotice(core, turn);
  for (const text of steering.splice(0)) {
    conversation.addUser(userMessage(text), { turn, source: "steering" });
    emit({ type: "steering", text });
    loops.reset();
  }
}

function sendPlanNotice(core: SessionCore, turn: number): void {
  const { planNotice, conversation } = core;
  core.planNotice = undefined;
  if (planNotice !== undefined) conversation.addUser(userMessage(planNotice), { turn, source: "notice" });
}

/** Adds the reply to the conversation, unless the provider filtered it or it is empty. */
function takeReply({ conversation, parts }: SessionCore, reply: ReadReply): AssistantMessage | undefined {
  if (reply.reason === "filtered") return undefined;
  const isEmpty = textOf(reply.message) === "" && callsOf(reply.message).length === 0;
  // In the text protocol the written reply is in `meta`, and the model has to see it.
  if (isEmpty && parts.protocol === "native") return undefined;
  return conversation.addReply(reply);
}

/** How often in a row a model may continue a reply that was too long. */
const mostCuts = 3;

const interrupted = "[The user interrupted this turn. Do not resume unfinished work unless asked.]";

function cutNotice(calls: number): string {
  const made =
    calls === 0
      ? "No call in it was made"
      : `${counted(calls, "complete call")} in it ${calls === 1 ? "was" : "were"} made`;
  return `[Your last reply was cut off at the output limit. ${made}. Continue where it ended, and write large contents in several smaller steps.]`;
}

function watched({ answer, canonical, input, failure }: MadeCall): WatchedCall {
  return { name: answer.name, canonical, input, content: answer.content, failure };
}

/**
 * Asks the model for the next reply. When the conversation is too long for it, clears old outputs, then compacts once. When
 * the provider refuses a request with new images, asks again without them.
 */
async function askNext(core: SessionCore, tally: Tally, signal: AbortSignal): Promise<Asked> {
  const { maxOutputTokens: wanted, ...sampling } = core.parts.sampling;
  const ask = () => {
    const request = nextRequest(core);
    const limits = [wanted, request.maxOutputTokens].filter((limit) => limit !== undefined);
    const maxOutputTokens = limits.length > 0 ? Math.min(...limits) : undefined;
    const { outputSchema } = tally;
    return askWithHooks(core, { ...request, sampling, maxOutputTokens, outputSchema }, "reply", signal);
  };
  try {
    return await ask();
  } catch (error) {
    if (isBadRequest(error) && clearRefusedImages(core, error)) return ask();
    if (!isOverflow(error) || core.conversation.isJustCompacted) throw error;
    if (await clearOutputs(core, { isFull: true })) {
      try {
        return await ask();
      } catch (again) {
        if (!isOverflow(again)) throw again;
      }
    }
    await compact(core, signal);
    return ask();
  }
}

function isOverflow(error: unknown): boolean {
  return error instanceof ModelError && error.code === "overflow";
}

function isBadRequest(error: unknown): error is ModelError {
  return error instanceof ModelError && error.code === "bad-request";
}

type Ending = Pick<TurnResult, "outcome" | "limit"> & { readonly error?: AgentFailure };

function limited({ parts, emit }: SessionCore, limit: Limit): Ending {
  emit({ type: "limit", limit, allowed: parts.limits[limit] });
  return { outcome: "limit", limit };
}

function failed({ emit }: SessionCore, error: unknown): Ending {
  const failure = failureOf(error);
  emit({ type: "error", error: failure });
  return { outcome: "failed", error: failure };
}

function failureOf(error: unknown): AgentFailure {
  if (error instanceof ModelError) {
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  }
  const message = errorMessage(error);
  if (error instanceof MismatchedAnswer) return { code: "invalid-output", message, hint: null };
  if (!(error instanceof ToolError)) return { code: "internal", message, hint: null };
  return { code: error.code === "denied" ? "blocked" : "internal", message, hint: error.hint ?? null };
}

function inputTooLong({ id, facts }: Model): ModelError {
  const message = `The input exceeds the context window of ${id} (${facts.contextTokens} tokens).`;
  return new ModelError("overflow", message, { hint: "Save it as a file and ask about the file." });
}

function cutTooOften(model: string, times: number): ModelError {
  const message = `${times} replies of ${model} in a row reached its output limit.`;
  return new ModelError("cut", message, {
    hint: "Ask for smaller steps, or use a model with a higher output limit.",
  });
}
