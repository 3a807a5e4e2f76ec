import type { Json } from "../json.ts";
import type { WireReply } from "../protocol.ts";

/** What was thought before each reply: who sends the reply again sends that too, exactly. */
export class SaidThoughts {
  /** The same words may have been said after several thoughts. */
  readonly #thoughts = new Map<string, unknown[]>();

  thought({ calls, text }: WireReply, thoughts: unknown): void {
    const name = calls[0]?.id ?? text;
    if (name === undefined) return;
    this.#thoughts.set(name, [...(this.#thoughts.get(name) ?? []), thoughts]);
  }

  /** All that may have been thought before a message; undefined where it is none of ours. */
  before(message: Json): readonly unknown[] | undefined {
    return this.#thoughts.get(message.tool_calls?.[0]?.id ?? message.content);
  }
}
