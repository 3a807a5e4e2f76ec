import type { Json } from "../json.ts";
import type { WireReply } from "../protocol.ts";

/** What was thought before each reply: who sends the reply again sends that too, exactly. */
export class SaidThoughts {
  readonly #thoughts = new Map<string, unknown>();

  thought({ calls, text }: WireReply, thoughts: unknown): void {
    const name = calls[0]?.id ?? text;
    if (name !== undefined) this.#thoughts.set(name, thoughts);
  }

  /** Whether the reply is one of ours, and what was thought before it. */
  find(message: Json): { readonly thoughts: unknown } | undefined {
    const name = message.tool_calls?.[0]?.id ?? message.content;
    return this.#thoughts.has(name) ? { thoughts: this.#thoughts.get(name) } : undefined;
  }
}
