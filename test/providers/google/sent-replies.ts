import { createHash } from "node:crypto";
import type { Part } from "./request.ts";

/** Remembers what the server sent, to recognize it when it is sent back. */
export class SentReplies {
  readonly #signatures = new Set<string>();
  /** The positions of signatures by the text and calls of a reply. The same text may have occurred more than once. */
  readonly #replies = new Map<string, Set<string>>();
  /** Name and arguments by call id; null where two calls had the same id. */
  readonly #calls = new Map<string, string | null>();

  sign(reply: number): string {
    const signature = createHash("sha512").update(`thought ${reply}`).digest("base64").repeat(2);
    this.#signatures.add(signature);
    return signature;
  }

  remember(parts: readonly Part[]): void {
    const key = replyKey(parts);
    const positions = this.#replies.get(key) ?? new Set();
    this.#replies.set(key, positions.add(signaturesOf(parts)));
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

  /** Whether the signatures of a reply are at their original positions; undefined for an unknown reply. */
  hasItsSignatures(parts: readonly Part[]): boolean | undefined {
    return this.#replies.get(replyKey(parts))?.has(signaturesOf(parts));
  }

  /** Whether a call is unchanged; undefined where it is unknown. */
  isCall({ id, name, args = {} }: NonNullable<Part["functionCall"]>): boolean | undefined {
    const known = this.#calls.get(id ?? "");
    return known == null ? undefined : known === JSON.stringify({ id, name, args });
  }
}

function replyKey(parts: readonly Part[]): string {
  const words = parts.filter(({ text, thought }) => text !== undefined && !thought).map(({ text }) => text);
  return JSON.stringify([words.join(""), parts.flatMap(({ functionCall }) => functionCall?.name ?? [])]);
}

/** The calls that have a signature, and whether the text has one. Streams split text, and clients join it. */
function signaturesOf(parts: readonly Part[]): string {
  const calls = parts.filter(({ functionCall }) => functionCall);
  const others = parts.filter(({ functionCall, thought }) => !functionCall && !thought);
  return JSON.stringify([
    calls.map(({ thoughtSignature = "" }) => thoughtSignature),
    others.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
  ]);
}
