import type { AssistantMessage, CallAnswer, Message, UserMessage } from "../../models/message.ts";
import { type TakenIds, takeId } from "./take-id.ts";

/** The conversation: only ever added to, but for being made shorter as a whole. */
export class History {
  #messages: Message[] = [];
  #pinned = new Set<Message>();
  /** Of all calls there ever were, also of those that were compacted away. */
  readonly #callIds: TakenIds = new Map();

  /** The list itself, which grows: nobody copies it to ask a model. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get pinned(): ReadonlySet<Message> {
    return this.#pinned;
  }

  addUser(message: UserMessage, { isPinned = false }: { readonly isPinned?: boolean } = {}): void {
    this.#messages.push(message);
    if (isPinned) this.#pinned.add(message);
  }

  /** Adds a reply with ids for its calls that no other call has; gives it as it was added. Its calls must be answered next. */
  addReply(reply: AssistantMessage): AssistantMessage {
    const content = reply.content.map((part) => {
      if (part.type !== "call") return part;
      const id = takeId(part.id, this.#callIds);
      return id === part.id ? part : { ...part, id };
    });
    const message = { ...reply, content };
    this.#messages.push(message);
    return message;
  }

  addAnswers(answers: readonly CallAnswer[]): Message {
    const message: Message = { role: "tool", answers };
    this.#messages.push(message);
    return message;
  }

  /** Goes on with another conversation, of which every call is answered. */
  restart(messages: readonly Message[], pinned: ReadonlySet<Message>): void {
    this.#messages = [...messages];
    this.#pinned = new Set(messages.filter((message) => pinned.has(message)));
    for (const message of messages) {
      if (message.role !== "assistant") continue;
      for (const part of message.content)
        if (part.type === "call" && !this.#callIds.has(part.id)) this.#callIds.set(part.id, 1);
    }
  }
}
