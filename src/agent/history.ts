import type { AssistantMessage, CallAnswer, CallPart, Message, UserMessage } from "../models/message.ts";

/** The messages of a session. Append-only, except for clearing and compaction. */
export class History {
  #messages: Message[] = [];
  #pinned = new Set<Message>();
  /** Ids of all calls of the session, including compacted ones. */
  readonly #callIds: TakenIds = new Map();

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

  /** Adds a reply with unique ids for its calls, and returns it as added. Its calls must be answered next. */
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

  /** Replaces the contents of answers. */
  clear(cleared: readonly ClearedAnswer[]): void {
    this.#messages = withCleared(this.#messages, cleared);
  }

  /** Continues with another conversation, in which every call is answered. */
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

/** The answer to a call, whose content was replaced by a note. */
export interface ClearedAnswer {
  readonly id: string;
  readonly content: string;
}

/** Returns the conversation with the contents of some answers replaced. Their images are removed. */
export function withCleared(messages: readonly Message[], cleared: readonly ClearedAnswer[]): Message[] {
  const contents = new Map(cleared.map(({ id, content }) => [id, content]));
  return messages.map((message) => {
    if (message.role !== "tool" || !message.answers.some(({ id }) => contents.has(id))) return message;
    const answers = message.answers.map((answer) => {
      const content = contents.get(answer.id);
      return content === undefined ? answer : { ...answer, content, images: [] };
    });
    return { ...message, answers };
  });
}

export function callsOf(message: AssistantMessage): readonly CallPart[] {
  return message.content.filter((part) => part.type === "call");
}

/** The last number that was appended to each call id. */
type TakenIds = Map<string, number>;

/** Returns a unique id that every provider accepts: the given one, with a number appended when it is taken. */
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

/** With its number, an id stays below 64 characters, the strictest provider limit. */
const longest = 56;
