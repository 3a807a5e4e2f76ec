import { ToolError } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { ModelError } from "../models/model-error.ts";
import { compact, compactIfNeeded } from "./context/compaction.ts";
import { textOf, userMessage } from "./conversation.ts";
import type { AgentFailure, TurnResult } from "./event.ts";
import { callsOf } from "./history.ts";
import { type Limit, limitReached } from "./limits.ts";
import { loopNotice, type WatchedCall } from "./loops.ts";
import type { UserSource } from "./records/session-entry.ts";
import { type Asked, askModel, nextRequest } from "./round/ask-model.ts";
import { errorMessage } from "./round/hooks.ts";
import { type MadeCall, makeCalls } from "./round/make-calls.ts";
import type { ReadReply } from "./round/reply-reader.ts";
import type { SessionCore } from "./session-core.ts";

interface TurnInput {
  /** Counts from 1. */
  readonly turn: number;
  readonly message: UserMessage;
  readonly source: UserSource;
  readonly isPinned: boolean;
}

/**
 * Runs one turn: asks the model, makes its calls, and repeats until a complete reply makes no call. Never rejects. However it
 * ends, every call in the conversation is answered, so that the session can continue.
 */
export async function runTurn(core: SessionCore, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const { turn } = input;
  const before = { usage: core.spending.usage, cost: core.spending.cost };
  const tally: Tally = { turn, rounds: 0, calls: 0, text: "", cuts: 0 };
  const { outcome, error = null } = await runRounds(core, input, tally, signal);
  const { rounds, calls, text } = tally;
  return { turn, outcome, text, error, rounds, calls, ...core.spending.since(before) };
}

/** The counts of a turn so far. */
interface Tally {
  readonly turn: number;
  rounds: number;
  calls: number;
  text: string;
  /** Consecutive replies that were cut at the output limit of the model. */
  cuts: number;
}

async function runRounds(
  core: SessionCore,
  input: TurnInput,
  tally: Tally,
  signal: AbortSignal,
): Promise<Ending> {
  const { conversation, loops, parts } = core;
  const { message, turn, ...options } = input;
  if (turn > parts.limits.turns) return limited(core, "turns");
  if (parts.meter.isTooLong(message)) return failed(core, inputTooLong(core.model));
  // Recorded before any abort check, so that the input of an aborted turn is not lost.
  conversation.say(message, { ...options, turn });
  loops.reset();
  try {
    for (;;) {
      const ending = await runRound(core, tally, signal);
      if (ending) return ending;
    }
  } catch (error) {
    if (!signal.aborted) return failed(core, error);
    conversation.say(userMessage(stopped), { turn, source: "notice" });
    return { outcome: "aborted" };
  }
}

/** Returns undefined when the turn needs another round. */
async function runRound(core: SessionCore, tally: Tally, signal: AbortSignal): Promise<Ending | undefined> {
  const { parts, conversation, emit } = core;
  signal.throwIfAborted();
  sendSteering(core, tally);
  const limit = limitReached(core, tally.rounds);
  if (limit) return limited(core, limit);
  await compactIfNeeded(core, signal);
  signal.throwIfAborted();
  tally.rounds += 1;
  emit({ type: "round-start", round: tally.rounds });
  const { model } = core;
  const asked = await askNext(core, signal);
  if (!asked.isWhole) {
    if (asked.shownText.trim()) conversation.addShown(model.id, asked.shownText);
    throw signal.reason;
  }
  const { reply } = asked;
  const message = takeReply(core, reply);
  emit({ type: "reply-end", reason: reply.reason });
  core.spend(model, reply.usage, { isOfReply: message !== undefined });
  tally.text = textOf(reply.message);
  if (reply.reason === "filtered") throw filtered(model.id);

  const calls = message ? callsOf(message) : [];
  const context = { ...parts, tools: core.toolsByName, approverFor: core.approverFor, emit };
  const made = await makeCalls(calls, context, signal);
  if (calls.length > 0) conversation.addAnswers(made.map(({ answer }) => answer));
  tally.calls += calls.length;
  signal.throwIfAborted();

  const loop = core.loops.note({
    calls: made.map(watched),
    isFault: reply.faults.length > 0,
    round: core.nextNumber(),
  });
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
  if (reply.faults.length > 0 && loop === undefined) emit({ type: "warning", message: notUnderstood });
  for (const notice of notices) {
    conversation.say(userMessage(notice), { turn: tally.turn, source: "notice" });
  }
  if (notices.length > 0 || calls.length > 0 || core.steering.length > 0) return undefined;
  return { outcome: "completed" };
}

const notUnderstood = "What the model meant to do could not be read; it was told so, and is asked again.";

function sendSteering({ steering, conversation, loops, emit }: SessionCore, { turn }: Tally): void {
  for (const text of steering.splice(0)) {
    conversation.say(userMessage(text), { turn, source: "steering" });
    emit({ type: "steering", text });
    loops.reset();
  }
}

/** Adds the reply to the conversation, unless the provider filtered it or it is empty. */
function takeReply({ conversation, parts }: SessionCore, reply: ReadReply): AssistantMessage | undefined {
  if (reply.reason === "filtered") return undefined;
  const says = reply.message.content.some(
    (part) => part.type === "call" || (part.type === "text" && part.text.trim() !== ""),
  );
  // In the text protocol the written reply is in `meta`, and the model has to see it.
  if (!says && parts.protocol === "native") return undefined;
  return conversation.addReply(reply);
}

/** How often in a row a model may continue a reply that was too long. */
const mostCuts = 3;

const stopped =
  "[The person stopped you here. What was not answered before is not to be gone on with unless they ask for it.]";

function cutNotice(calls: number): string {
  const made =
    calls === 0 ? "No call in it was made." : `Answered above: ${counted(calls, "call")} that came whole.`;
  return `[Your last reply was cut off: it reached the most that may be written at a time. ${made} Go on where it ended; put large contents in several smaller steps.]`;
}

function watched({ answer, canonical, input, failure }: MadeCall): WatchedCall {
  return { name: answer.name, canonical, input, content: answer.content, failure };
}

/** Asks the model for the next reply. When the conversation is too long for it, compacts once and asks again. */
async function askNext(core: SessionCore, signal: AbortSignal): Promise<Asked> {
  const ask = () => {
    const { model, parts, nextNumber, emit } = core;
    const request = nextRequest(core);
    return askModel({ model, request, limits: parts.limits, signal, nextId: nextNumber, emit });
  };
  try {
    return await ask();
  } catch (error) {
    const isOverflow = error instanceof ModelError && error.kind === "overflow";
    if (!isOverflow || core.conversation.isJustCompacted) throw error;
    await compact(core, signal);
    return ask();
  }
}

type Ending = Pick<TurnResult, "outcome"> & { readonly error?: AgentFailure };

function limited({ parts, emit }: SessionCore, limit: Limit): Ending {
  emit({ type: "limit", limit, allowed: parts.limits[limit] });
  return { outcome: "limit" };
}

function failed({ emit }: SessionCore, error: unknown): Ending {
  const failure = failureOf(error);
  emit({ type: "error", error: failure });
  return { outcome: "failed", error: failure };
}

function failureOf(error: unknown): AgentFailure {
  if (error instanceof ModelError) {
    return { kind: error.kind, message: error.message, hint: error.hint ?? null };
  }
  const hint = error instanceof ToolError ? (error.hint ?? null) : null;
  return { kind: "internal", message: errorMessage(error), hint };
}

function inputTooLong({ id, facts }: Model): ModelError {
  return new ModelError(
    "overflow",
    `The input is longer than ${id} reads: ${facts.contextTokens} tokens in all`,
    {
      hint: "Put it into a file and ask about that.",
    },
  );
}

function filtered(model: string): ModelError {
  return new ModelError("bad-request", `The provider of ${model} withheld its reply`, {
    hint: "Its filter took offence at the question or the answer: put it in other words, or ask another model.",
  });
}

function cutTooOften(model: string, times: number): ModelError {
  return new ModelError(
    "cut",
    `${times} replies of ${model} in a row were longer than it may write at a time`,
    {
      hint: "Ask for smaller steps, or use a model that writes more.",
    },
  );
}
