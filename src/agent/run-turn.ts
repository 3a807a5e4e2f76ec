import { counted } from "../lib/counted.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import { ModelError } from "../models/model-error.ts";
import { makeRoom, shorten } from "./context/compaction.ts";
import { textOf, userMessage } from "./conversation.ts";
import type { TurnResult } from "./event.ts";
import { callsOf } from "./history.ts";
import { loopNotice, type WatchedCall } from "./loops.ts";
import type { UserSource } from "./records/session-entry.ts";
import { type Asked, askModel, nextRequest } from "./round/ask-model.ts";
import { type MadeCall, makeCalls } from "./round/make-calls.ts";
import type { ReadReply } from "./round/reply-reader.ts";
import {
  cutTooOften,
  type Ending,
  failed,
  filtered,
  inputTooLong,
  limited,
  limitReached,
} from "./turn-endings.ts";
import type { Works } from "./works.ts";

interface TurnInput {
  /** Counts from 1. */
  readonly turn: number;
  readonly message: UserMessage;
  readonly source: UserSource;
  readonly isPinned: boolean;
}

/**
 * One turn: asks, makes calls, asks again, until a reply that has really ended makes none. Never rejects. However it ends, every
 * call in the conversation is answered, so that the session can go on.
 */
export async function runTurn(works: Works, input: TurnInput, signal: AbortSignal): Promise<TurnResult> {
  const { turn } = input;
  const before = { usage: works.spending.usage, cost: works.spending.cost };
  const tally: Tally = { turn, rounds: 0, calls: 0, text: "", cuts: 0 };
  const { outcome, error = null } = await play(works, input, tally, signal);
  const { rounds, calls, text } = tally;
  return { turn, outcome, text, error, rounds, calls, ...works.spending.since(before) };
}

/** What a turn has come to so far. */
interface Tally {
  readonly turn: number;
  rounds: number;
  calls: number;
  text: string;
  /** Replies in a row that were cut at the most that the model writes. */
  cuts: number;
}

async function play(works: Works, input: TurnInput, tally: Tally, signal: AbortSignal): Promise<Ending> {
  const { conversation, loops, parts } = works;
  const { message, turn, ...said } = input;
  if (turn > parts.limits.turns) return limited(works, "turns");
  if (parts.meter.isTooLong(message)) return failed(works, inputTooLong(works.model));
  // Also of a turn that is stopped at once: what the person said is not lost.
  conversation.say(message, { ...said, turn });
  loops.reset();
  try {
    for (;;) {
      const ending = await playRound(works, tally, signal);
      if (ending) return ending;
    }
  } catch (error) {
    if (!signal.aborted) return failed(works, error);
    conversation.say(userMessage(stopped), { turn, source: "notice" });
    return { outcome: "aborted" };
  }
}

/** Undefined when there is another to come. */
async function playRound(works: Works, tally: Tally, signal: AbortSignal): Promise<Ending | undefined> {
  const { parts, conversation, emit } = works;
  signal.throwIfAborted();
  tellSteering(works, tally);
  const limit = limitReached(works, tally.rounds);
  if (limit) return limited(works, limit);
  await makeRoom(works, signal);
  signal.throwIfAborted();
  tally.rounds += 1;
  emit({ type: "round-start", round: tally.rounds });
  const { model } = works;
  const asked = await askNext(works, signal);
  if (!asked.isWhole) {
    if (asked.shownText.trim()) conversation.addShown(model.id, asked.shownText);
    throw signal.reason;
  }
  const { reply } = asked;
  const message = takeReply(works, reply);
  emit({ type: "reply-end", reason: reply.reason });
  works.spend(model, reply.usage, { isOfReply: message !== undefined });
  tally.text = textOf(reply.message);
  if (reply.reason === "filtered") throw filtered(model.id);

  const calls = message ? callsOf(message) : [];
  const counter = { ...parts, tools: works.toolsByName, approverFor: works.approverFor, emit };
  const made = await makeCalls(calls, counter, signal);
  if (calls.length > 0) conversation.addAnswers(made.map(({ answer }) => answer));
  tally.calls += calls.length;
  signal.throwIfAborted();

  const loop = works.loops.note({
    calls: made.map(watched),
    isFault: reply.faults.length > 0,
    round: works.nextNumber(),
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
  if (notices.length > 0 || calls.length > 0 || works.steering.length > 0) return undefined;
  return { outcome: "completed" };
}

const notUnderstood = "What the model meant to do could not be read; it was told so, and is asked again.";

function tellSteering({ steering, conversation, loops, emit }: Works, { turn }: Tally): void {
  for (const text of steering.splice(0)) {
    conversation.say(userMessage(text), { turn, source: "steering" });
    emit({ type: "steering", text });
    loops.reset();
  }
}

/** What the model is shown again: nothing of a reply that was withheld, nor of one that neither says nor does anything. */
function takeReply({ conversation, parts }: Works, reply: ReadReply): AssistantMessage | undefined {
  if (reply.reason === "filtered") return undefined;
  const says = reply.message.content.some(
    (part) => part.type === "call" || (part.type === "text" && part.text.trim() !== ""),
  );
  // In the action protocol its words are kept elsewhere, and it has to see what it wrote.
  if (!says && parts.protocol === "native") return undefined;
  return conversation.addReply(reply);
}

/** How often in a row a model is told to go on with a reply that was too long. */
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

/** Asks the model for the next reply. What it cannot read at once is made shorter, once. */
async function askNext(works: Works, signal: AbortSignal): Promise<Asked> {
  const ask = () => {
    const { model, parts, nextNumber, emit } = works;
    const request = nextRequest(works);
    return askModel({ model, request, limits: parts.limits, signal, nextId: nextNumber, emit });
  };
  try {
    return await ask();
  } catch (error) {
    const isOverflow = error instanceof ModelError && error.kind === "overflow";
    if (!isOverflow || works.conversation.isJustShortened) throw error;
    await shorten(works, signal);
    return ask();
  }
}
