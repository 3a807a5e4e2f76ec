import type { Json } from "../json.ts";
import type { WireReply } from "../protocol.ts";

/** The reasoning before each reply. A client that sends the reply back must send exactly this reasoning, too. */
export class SentReasoning {
  /** The same text may have followed different reasoning. */
  readonly #thoughts = new Map<string, unknown[]>();

  thought({ calls, text }: WireReply, thoughts: unknown): void {
    const name = calls[0]?.id ?? text;
    if (name === undefined) return;
    this.#thoughts.set(name, [...(this.#thoughts.get(name) ?? []), thoughts]);
  }

  /** Returns the possible reasoning before a message; undefined for a message that the server did not send. */
  before(message: Json): readonly unknown[] | undefined {
    return this.#thoughts.get(message.tool_calls?.[0]?.id ?? message.content);
  }
}
