import type { AssistantMessage, CallAnswer, Message, UserMessage } from "../models/message.ts";
import type { Compacted } from "./context/compact-conversation.ts";
import type { ContextMeter } from "./context/meter.ts";
import type { ContextUse } from "./event.ts";
import { type ClearedAnswer, History } from "./history.ts";
import type { Reply } from "./round/reply-reader.ts";
import type { TurnInput } from "./run-turn.ts";
import type { Recorder, ResumedConversation } from "./session-parts.ts";
import { noUsage } from "./spending.ts";

type UserMessageOptions = Pick<TurnInput, "turn" | "source"> & Partial<TurnInput>;

export class Conversation {
  readonly #history = new History();
  readonly #recorder: Recorder;
  readonly #meter: ContextMeter;
  /** Replies since the last compaction. */
  #replies = Number.POSITIVE_INFINITY;
  #compactedInARow = 0;

  constructor(recorder: Recorder, meter: ContextMeter, resumed: ResumedConversation | undefined) {
    this.#recorder = recorder;
    this.#meter = meter;
    if (resumed === undefined) return;
    this.#history.restart(resumed.messages, resumed.pinned);
    meter.restart(resumed.messages);
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

  /** Whether no reply came since the last compaction, so that another one would not help. */
  get isJustCompacted(): boolean {
    return this.#replies === 0;
  }

  /** The number of compactions in a row with at most one reply between them. */
  get compactedInARow(): number {
    return this.#compactedInARow;
  }

  /** Adds a message of the user, or a notice of the session. */
  addUser(message: UserMessage, { turn, source, isPinned = false }: UserMessageOptions): void {
    this.#recorder.add({ kind: "user", turn, source, message, isPinned: isPinned || undefined });
    this.#history.addUser(message, { isPinned });
    this.#meter.added(message);
  }

  /** Returns the reply as added: its calls have unique ids. */
  addReply({ message: given, reason, usage }: Reply): AssistantMessage {
    const message = this.#history.addReply(given);
    this.#replies += 1;
    this.#recorder.add({ kind: "reply", message, reason, usage });
    this.#meter.added(message);
    this.#meter.counted(usage);
    return message;
  }

  /** Adds what the user saw of an interrupted reply: text without calls. */
  addShown(model: string, text: string): void {
    const message = this.#history.addReply({ role: "assistant", model, content: [{ type: "text", text }] });
    this.#recorder.add({ kind: "reply", message, reason: "stop", usage: noUsage, isInterrupted: true });
    this.#meter.added(message);
  }

  /** Does not record the answers: each was recorded when its call ended. */
  addAnswers(answers: readonly CallAnswer[]): void {
    this.#meter.added(this.#history.addAnswers(answers));
  }

  /** Replaces the contents of answers by notes. */
  clear(answers: readonly ClearedAnswer[]): void {
    const { messages } = this;
    const tokensBefore = this.#meter.use.tokens;
    this.#history.clear(answers);
    this.#meter.shortened(messages, this.messages);
    this.#recorder.add({ kind: "cleared", answers, tokensBefore, tokensAfter: this.#meter.use.tokens });
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
