/** Remembers the model's own items, which must be sent back unchanged. */
export class SentItems {
  readonly #reasoning = new Map<string, SentItemReasoning>();
  /** The reasoning by item. The same text may have followed different reasoning, or none. */
  readonly #reasoningOf = new Map<string, Set<string | undefined>>();
  readonly #phases = new Map<string, Set<unknown>>();

  /** Remembers an item, and the reasoning before it. */
  sent(item: string, reasoning: SentItemReasoning | undefined): void {
    if (reasoning !== undefined) this.#reasoning.set(reasoning.encrypted, reasoning);
    add(this.#reasoningOf, item, reasoning?.encrypted);
  }

  spoke(text: string, phase: string): void {
    add(this.#phases, text, phase);
  }

  /** Returns the reasoning with this encrypted content. */
  find(encrypted: string): SentItemReasoning | undefined {
    return this.#reasoning.get(encrypted);
  }

  /** Whether the reasoning may precede an item. */
  mayFollow(item: string, encrypted: string | undefined): boolean {
    return this.#reasoningOf.get(item)?.has(encrypted) ?? true;
  }

  mayBePhase(text: string, phase: unknown): boolean {
    return this.#phases.get(text)?.has(phase) ?? true;
  }
}

export interface SentItemReasoning {
  readonly encrypted: string;
  /** Several, where ids change from event to event. */
  readonly ids: ReadonlySet<string>;
  readonly summary: readonly string[];
  /** The item after it: the id of a call, or `text:` and a text; undefined when nothing follows. */
  readonly before: string | undefined;
}

function add<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}
