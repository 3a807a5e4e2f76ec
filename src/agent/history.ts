import type { AssistantMessage, CallAnswer, CallPart, Message, UserMessage } from "../models/message.ts";

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

export function callsOf(message: AssistantMessage): readonly CallPart[] {
  return message.content.filter((part) => part.type === "call");
}

/** Ids of calls, each with the last number that was put behind it, so that a model that has only one costs no search. */
type TakenIds = Map<string, number>;

/**
 * Takes an id for a call that no other has: as it came, if no call had it before, else with a number behind it. Every provider
 * takes it, also one that did not give it.
 */
export function takeId(given: string, taken: TakenIds): string {
  const id = given.replace(/[^\w-]/g, "_").slice(0, longest) || "call";
  const last = taken.get(id);
  if (last === undefined) {
    taken.set(id, 1);
    return id;
  }
  let number = last + 1;
  while (taken.has(`${id}_${number}`)) number += 1;
  taken.set(id, number);
  taken.set(`${id}_${number}`, 1);
  return `${id}_${number}`;
}

/** With its number it stays below the 64 characters that the strictest provider takes. */
const longest = 56;
