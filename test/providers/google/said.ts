import { createHash } from "node:crypto";
import type { Part } from "./request.ts";

/** What the server said, to know it again when it is handed back. */
export class Said {
  readonly #signatures = new Set<string>();
  /** Where signatures stood in a reply of these words and calls; the same words may have been said more than once. */
  readonly #replies = new Map<string, Set<string>>();
  /** Name and arguments by the id of a call; null where two calls had one id. */
  readonly #calls = new Map<string, string | null>();

  sign(reply: number): string {
    const signature = createHash("sha512").update(`thought ${reply}`).digest("base64").repeat(2);
    this.#signatures.add(signature);
    return signature;
  }

  remember(parts: readonly Part[]): void {
    const key = replyKey(parts);
    const places = this.#replies.get(key) ?? new Set();
    this.#replies.set(key, places.add(placesOf(parts)));
    for (const { functionCall } of parts)
      if (functionCall?.id !== undefined)
        this.#calls.set(
          functionCall.id,
          this.#calls.has(functionCall.id) ? null : JSON.stringify(functionCall),
        );
  }

  isSignature(signature: string): boolean {
    return this.#signatures.has(signature);
  }

  /** Whether the signatures of a reply stand where they stood; undefined where nothing is known of it. */
  hasItsSignatures(parts: readonly Part[]): boolean | undefined {
    return this.#replies.get(replyKey(parts))?.has(placesOf(parts));
  }

  /** Whether a call is as it was given; undefined where that is not known. */
  isCall({ id, name, args = {} }: NonNullable<Part["functionCall"]>): boolean | undefined {
    const known = this.#calls.get(id ?? "");
    return known == null ? undefined : known === JSON.stringify({ id, name, args });
  }
}

function replyKey(parts: readonly Part[]): string {
  const words = parts.filter(({ text, thought }) => text !== undefined && !thought).map(({ text }) => text);
  return JSON.stringify([words.join(""), parts.flatMap(({ functionCall }) => functionCall?.name ?? [])]);
}

/** On which calls, and whether on the words: streams split those, and clients put them together again. */
function placesOf(parts: readonly Part[]): string {
  const calls = parts.filter(({ functionCall }) => functionCall);
  const others = parts.filter(({ functionCall, thought }) => !functionCall && !thought);
  return JSON.stringify([
    calls.map(({ thoughtSignature = "" }) => thoughtSignature),
    others.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
  ]);
}
