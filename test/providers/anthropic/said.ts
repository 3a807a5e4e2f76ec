import { createHash } from "node:crypto";
import type { WireReply } from "../protocol.ts";
import type { Block } from "./request.ts";

/** What the server said, to know it again when it is handed back. */
export class Said {
  /** Model and text of a thought, by its signature; of a redacted one its data stands for both. */
  readonly #thoughts = new Map<string, string>();
  /** Signatures that stood in a reply of a model, of these words and calls; the same words may have been said more than once. */
  readonly #replies = new Map<string, Set<string>>();
  /** Arguments by the id of the call; null where two calls had one id, or they could not be read. */
  readonly #inputs = new Map<string, string | null>();

  /** A signature as long as real ones are, so that whoever cuts it is caught. */
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

  /** Whether a thought is handed back to the model that had it, in its own words. */
  isThought({ type, signature, thinking, data }: Block, model: string): boolean {
    return type === "thinking"
      ? this.#thoughts.get(signature ?? "") === `${model} ${thinking}`
      : this.#thoughts.get(data ?? "") === `${model} ${data}`;
  }

  /** Whether a reply has the thoughts it was given with; undefined where nothing is known of it. */
  hasItsThoughts(blocks: readonly Block[], model: string): boolean | undefined {
    return this.#replies.get(replyKey(blocks, model))?.has(signaturesOf(blocks));
  }

  /** Whether a call has the arguments it was given with; undefined where that is not known. */
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
