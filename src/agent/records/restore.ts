import type { CallAnswer, CallPart, Message } from "../../models/message.ts";
import type { ReasoningEffort, TokenUsage } from "../../models/model.ts";
import type { CallRecord } from "../../toolcrib/index.ts";
import type { TurnResult } from "../event.ts";
import { withCleared } from "../history.ts";
import type { OpenTurn, ResumedConversation } from "../session-parts.ts";
import { addUsage, noUsage } from "../spending.ts";
import type { SessionEntry } from "./session-entry.ts";

export type StartEntry = Extract<SessionEntry, { kind: "start" }>;

export interface Restored extends ResumedConversation {
  readonly start: StartEntry;
  readonly model: string;
  readonly reasoning: ReasoningEffort | null;
  /** Calls of the last reply without an answer; then `messages` ends before the answers of that reply. */
  readonly unanswered: readonly UnansweredCall[];
}

interface UnansweredCall {
  readonly call: CallPart;
  /** The id in the journal; null when the call never began. */
  readonly callId: string | null;
}

/** Rebuilds a session from its entries, oldest first. Undefined when the first is not its start. Pure. */
export function restore(entries: readonly SessionEntry[]): Restored | undefined {
  const [start] = entries;
  if (start?.kind !== "start") return undefined;
  const conversation = new Conversation();
  const usage = new Map<string, TokenUsage>();
  let { model, reasoning } = start;
  let isPlanning = false;
  let turns = 0;
  let open: OpenTurn = newTurn;
  /** How the last turn ended; undefined while it is open. A continued turn is open again. */
  let ended: TurnResult["outcome"] | undefined;
  // The parent of a fork has paid for the copied part.
  const isOwn = () => start.parent === undefined || turns > start.parent.turn;
  const spend = (by: string, more: TokenUsage) => {
    if (isOwn()) usage.set(by, addUsage(usage.get(by) ?? noUsage, more));
  };
  for (const entry of entries) {
    conversation.take(entry);
    if (entry.kind === "user" || entry.kind === "reply") ended = undefined;
    if (entry.kind === "user") {
      open = entry.turn > turns ? newTurn : { ...open, wasCut: false };
      turns = Math.max(turns, entry.turn);
    } else if (entry.kind === "turn-end") ended = entry.result.outcome;
    else if (entry.kind === "reply") {
      open = withReply(open, entry);
      spend(entry.message.model, entry.usage);
    } else if (entry.kind === "spent") spend(entry.model, entry.usage);
    else if (entry.kind === "change") {
      model = entry.model ?? model;
      if (entry.reasoning !== undefined) reasoning = entry.reasoning;
      isPlanning = entry.isPlanning ?? isPlanning;
    }
  }
  const { messages, pinned, unanswered } = conversation;
  const isTurnOpen = turns > 0 && ended === undefined;
  const hasFailed = ended === "failed" && messages.at(-1)?.role !== "assistant";
  const openTurn = isTurnOpen || hasFailed ? open : undefined;
  const talk = { messages, pinned, turns, usage, isTurnOpen, openTurn, isPlanning, unanswered };
  return { start, model, reasoning, ...talk };
}

const newTurn: OpenTurn = { rounds: 0, calls: 0, wasCut: false };

function withReply(turn: OpenTurn, { message, reason }: Extract<SessionEntry, { kind: "reply" }>): OpenTurn {
  const { length: calls } = message.content.filter(({ type }) => type === "call");
  const wasCut = reason === "length" && calls === 0;
  return { rounds: turn.rounds + 1, calls: turn.calls + calls, wasCut };
}

class Conversation {
  messages: Message[] = [];
  pinned = new Set<Message>();
  /** The unanswered calls of the last reply. */
  #calls: readonly CallPart[] = [];
  readonly #open = new Set<string>();
  readonly #answers = new Map<string, CallAnswer>();
  readonly #begun = new Map<string, string>();

  take(entry: SessionEntry): void {
    switch (entry.kind) {
      case "user":
        this.#closeCalls();
        this.messages.push(entry.message);
        if (entry.isPinned) this.pinned.add(entry.message);
        break;
      case "reply":
        this.#closeCalls();
        this.messages.push(entry.message);
        this.#calls = entry.message.content.filter((part) => part.type === "call");
        for (const { id } of this.#calls) this.#open.add(id);
        break;
      case "begun":
        this.#begun.set(entry.id, entry.callId);
        break;
      case "answer":
        if (!this.#answers.has(entry.answer.id)) this.#answers.set(entry.answer.id, entry.answer);
        this.#open.delete(entry.answer.id);
        if (this.#open.size === 0) this.#closeCalls();
        break;
      case "cleared":
        this.messages = withCleared(this.messages, entry.answers);
        break;
      case "compacted":
        this.#forgetCalls();
        this.messages = [...entry.messages];
        this.pinned = new Set(entry.pinned.flatMap((index) => entry.messages[index] ?? []));
        break;
    }
  }

  get unanswered(): readonly UnansweredCall[] {
    return this.#calls
      .filter(({ id }) => this.#open.has(id))
      .map((call) => ({ call, callId: this.#begun.get(call.id) ?? null }));
  }

  /** Providers require an answer to every call. */
  #closeCalls(): void {
    if (this.#calls.length > 0) {
      const answers = this.#calls.map((call) => this.#answers.get(call.id) ?? lostAnswer(call));
      this.messages.push({ role: "tool", answers });
    }
    this.#forgetCalls();
  }

  #forgetCalls(): void {
    this.#calls = [];
    this.#open.clear();
    this.#answers.clear();
    this.#begun.clear();
  }
}

function lostAnswer({ id, name }: CallPart): CallAnswer {
  return { id, name, content: "The result of this call was lost.", isError: true, images: [] };
}

/**
 * Returns the answer to a call that was running when its process ended. The call is not repeated; the answer says what
 * the journal knows about it. Pure.
 */
export function answerLostCall({ call, callId }: UnansweredCall, record: CallRecord | undefined): CallAnswer {
  const { id, name } = call;
  return { id, name, content: describeRecord(callId, record), isError: record?.outcome !== "ok", images: [] };
}

function describeRecord(callId: string | null, record: CallRecord | undefined): string {
  if (callId === null)
    return "This call was not made: the session was interrupted before it. Make it if it is still needed.";
  // Calls that may change something are recorded before they run.
  if (record === undefined)
    return "The session was interrupted during this call, before it changed anything. Make it again if you still need its result.";
  if (record.outcome === null)
    return `The session was interrupted during this call. It may have run in part${describeFiles(record)}. Check the current state before you make it again.`;
  const output = record.outputHandle === null ? "" : ` Its whole output is stored as ${record.outputHandle}.`;
  if (record.outcome === "ok")
    return `This call succeeded${describeFiles(record)}, but its result was lost when the session was interrupted.${output} Do not make it again; check the current state.`;
  return `This call failed: ${record.message ?? record.outcome} (${record.outcome}).${output}`;
}

function describeFiles({ files: { created, changed, removed } }: CallRecord): string {
  const counts = Object.entries({ created, changed, removed }).filter(([, count]) => count > 0);
  const shown = counts.map(([what, count]) => `${count} ${what}`).join(", ");
  return shown === "" ? "" : ` (files: ${shown})`;
}
