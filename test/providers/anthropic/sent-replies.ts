import { createHash } from "node:crypto";
import type { WireReply } from "../protocol.ts";
import type { Block } from "./request.ts";

/** Remembers what the server sent, to recognize it when it is sent back. */
export class SentReplies {
  /** The model and text of each thinking block, by its signature. The data of a redacted block serves as both. */
  readonly #thoughts = new Map<string, string>();
  /** The signatures in a reply of a model, by its text and calls. The same text may have occurred more than once. */
  readonly #replies = new Map<string, Set<string>>();
  /** Arguments by call id; null where two calls had the same id, or the arguments could not be parsed. */
  readonly #inputs = new Map<string, string | null>();

  /** Returns a signature as long as real ones, so that truncation is detected. */
  sign(thinking: string, { number, model }: WireReply): string {
    const signature = secret(`${number} ${thinking}`);
    this.#thoughts.set(signature, `${model} ${thinking}`);
    return signature;
  }

  redact(thinking: string, { number, model }: WireReply): string {
    const data = secret(`redacted ${number} ${thinking}`);
    this.#thoughts.set(data, `${model} ${data}`);
    return data;
  }

  remember(blocks: readonly Block[], model: string): void {
    const key = replyKey(blocks, model);
    const signatures = this.#replies.get(key) ?? new Set();
    this.#replies.set(key, signatures.add(signaturesOf(blocks)));
    for (const { type, id, input } of blocks)
      if (type === "tool_use")
        this.#inputs.set(id!, this.#inputs.has(id!) || !input ? null : JSON.stringify(input));
  }

  /** Whether a thinking block is sent back unchanged to the model that wrote it. */
  isThought({ type, signature, thinking, data }: Block, model: string): boolean {
    return type === "thinking"
      ? this.#thoughts.get(signature ?? "") === `${model} ${thinking}`
      : this.#thoughts.get(data ?? "") === `${model} ${data}`;
  }

  /** Whether a reply has its original thinking blocks; undefined for an unknown reply. */
  hasItsThoughts(blocks: readonly Block[], model: string): boolean | undefined {
    return this.#replies.get(replyKey(blocks, model))?.has(signaturesOf(blocks));
  }

  /** Whether a call has its original arguments; undefined where they are unknown. */
  hasItsInput({ id, input }: Block): boolean | undefined {
    const known = this.#inputs.get(id!);
    return known == null ? undefined : known === JSON.stringify(input);
  }
}

function secret(of: string): string {
  return createHash("sha512").update(of).digest("base64").repeat(2);
}

function replyKey(blocks: readonly Block[], model: string): string {
  const words = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
  const names = blocks.filter(({ type }) => type === "tool_use").map(({ name }) => name);
  return JSON.stringify([model, words.join("").trimEnd(), names]);
}

function signaturesOf(blocks: readonly Block[]): string {
  return blocks.flatMap(({ signature, data }) => signature ?? data ?? []).join(" ");
}
