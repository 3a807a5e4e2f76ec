import type { Message } from "./request.ts";

/** What the server said, to know it again when it is handed back. */
export class Said {
  /** Thoughts and arguments that came with these words and calls; the same may have been said more than once. */
  readonly #replies = new Map<string, Set<string>>();

  remember(reply: Message): void {
    const key = replyKey(reply);
    const whole = this.#replies.get(key) ?? new Set();
    this.#replies.set(key, whole.add(restOf(reply)));
  }

  /** Whether a reply has its thoughts and arguments; undefined where nothing is known of it. */
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
