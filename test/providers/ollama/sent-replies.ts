import type { Message } from "./request.ts";

/** Remembers what the server sent, to recognize it when it is sent back. */
export class SentReplies {
  /** Reasoning and arguments by text and calls. The same text may have occurred more than once. */
  readonly #replies = new Map<string, Set<string>>();

  remember(reply: Message): void {
    const key = replyKey(reply);
    const whole = this.#replies.get(key) ?? new Set();
    this.#replies.set(key, whole.add(restOf(reply)));
  }

  /** Whether a reply has its original reasoning and arguments; undefined for an unknown reply. */
  isReply(reply: Message): boolean | undefined {
    return this.#replies.get(replyKey(reply))?.has(restOf(reply));
  }
}

function replyKey({ content, tool_calls = [] }: Message): string {
  return JSON.stringify([content, tool_calls.map(({ function: { name } }) => name)]);
}

function restOf({ thinking = "", tool_calls = [] }: Message): string {
  return JSON.stringify([thinking, tool_calls.map(({ function: { arguments: given } }) => given)]);
}
