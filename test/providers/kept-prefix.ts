import type { Conversation } from "./protocol.ts";

/** Checks that each request extends an earlier one, so that the provider's cache holds. */
export class KeptPrefix {
  /** The conversations so far. Several may have the same beginning. */
  #conversations: Conversation[] = [];

  forget(): void {
    this.#conversations = [];
  }

  /** Returns the faults of a request. */
  check(asked: Conversation): readonly string[] {
    const known = this.#conversations;
    const isNew = asked.messages.length === asked.opening || known.length === 0;
    const continued = isNew ? -1 : known.findIndex((earlier) => agreement(earlier, asked) === Infinity);
    if (isNew) known.push(asked);
    else if (continued === -1) return [changeIn(nearest(known, asked), asked)];
    else known[continued] = asked;
    return [];
  }
}

/** Returns how many messages are unchanged; -1 if the head has changed, Infinity if nothing has. */
function agreement(earlier: Conversation, asked: Conversation): number {
  if (earlier.head !== asked.head) return -1;
  const changed = earlier.messages.findIndex((message, index) => message !== asked.messages[index]);
  return changed === -1 ? Infinity : changed;
}

function nearest(known: readonly Conversation[], asked: Conversation): Conversation {
  return known.reduce((best, other) => (agreement(other, asked) > agreement(best, asked) ? other : best));
}

function changeIn(earlier: Conversation, asked: Conversation): string {
  const changed = agreement(earlier, asked);
  if (changed === -1) return `The head has changed: ${difference(earlier.head, asked.head)}`;
  return `Message ${changed} has changed: ${difference(earlier.messages[changed]!, asked.messages[changed])}`;
}

function difference(before: string, after = "nothing"): string {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const around = (text: string) => text.slice(Math.max(0, same - 30), same + 60);
  return `…${around(before)}… became …${around(after)}…`;
}
