import type { AssistantMessage, CallAnswer, Message, UserMessage } from "../models/message.ts";
import type { ContextUse } from "./event.ts";
import { History } from "./history.ts";
import type { UserSource } from "./records/session-entry.ts";
import type { Compacted, ContextMeter, Past, Recorder, Reply } from "./session-parts.ts";
import { noUsage } from "./spending.ts";

export interface Said {
  readonly turn: number;
  readonly source: UserSource;
  readonly isPinned?: boolean;
}

/** The history, written down and counted as it grows. */
export class Conversation {
  readonly #history = new History();
  readonly #recorder: Recorder;
  readonly #meter: ContextMeter;
  /** Replies since it was made shorter. */
  #replies = Number.POSITIVE_INFINITY;
  #compactedInARow = 0;

  constructor(recorder: Recorder, meter: ContextMeter, past: Past | undefined) {
    this.#recorder = recorder;
    this.#meter = meter;
    if (past === undefined) return;
    this.#history.restart(past.messages, past.pinned);
    meter.restart(past.messages);
  }

  get messages(): readonly Message[] {
    return this.#history.messages;
  }

  get pinned(): ReadonlySet<Message> {
    return this.#history.pinned;
  }

  get context(): ContextUse {
    return this.#meter.use;
  }

  /** No reply has come since it was made shorter: to do so again would lead nowhere. */
  get isJustCompacted(): boolean {
    return this.#replies === 0;
  }

  /** How often it was made shorter with hardly a reply between. */
  get compactedInARow(): number {
    return this.#compactedInARow;
  }

  /** The person says something, or we do. */
  say(message: UserMessage, { turn, source, isPinned = false }: Said): void {
    this.#recorder.add({ kind: "user", turn, source, message, ...(isPinned && { isPinned }) });
    this.#history.addUser(message, { isPinned });
    this.#meter.added(message);
  }

  /** Gives the reply as it joined the conversation: its calls have ids of their own. */
  addReply({ message: given, reason, usage }: Reply): AssistantMessage {
    const message = this.#history.addReply(given);
    this.#replies += 1;
    this.#recorder.add({ kind: "reply", message, reason, usage });
    this.#meter.added(message);
    this.#meter.counted(usage);
    return message;
  }

  /** What was shown of a reply that the person stopped: words without calls. */
  addShown(model: string, text: string): void {
    const message = this.#history.addReply({ role: "assistant", model, content: [{ type: "text", text }] });
    this.#recorder.add({ kind: "reply", message, reason: "stop", usage: noUsage, isInterrupted: true });
    this.#meter.added(message);
  }

  /** Each was written down when its call had ended. */
  addAnswers(answers: readonly CallAnswer[]): void {
    this.#meter.added(this.#history.addAnswers(answers));
  }

  compact({ messages, tokensAfter }: Compacted): void {
    const tokensBefore = this.#meter.use.tokens;
    const pinned = messages.flatMap((message, index) => (this.pinned.has(message) ? [index] : []));
    this.#recorder.add({ kind: "compacted", messages, pinned, tokensBefore, tokensAfter });
    this.#history.restart(messages, this.pinned);
    this.#meter.restart(messages);
    this.#compactedInARow = this.#replies <= 1 ? this.#compactedInARow + 1 : 1;
    this.#replies = 0;
  }
}

export function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function textOf(message: AssistantMessage): string {
  return message.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
}
