/** What the model has said of itself: it wants to see that again exactly as it was. */
export class SaidItems {
  readonly #reasoning = new Map<string, SaidReasoning>();
  /** By what each belongs to. The same words may have been said after several thoughts, or after none. */
  readonly #reasoningOf = new Map<string, Set<string | undefined>>();
  readonly #phases = new Map<string, Set<unknown>>();

  /** Something was said, after a thought or not. */
  said(item: string, reasoning: SaidReasoning | undefined): void {
    if (reasoning !== undefined) this.#reasoning.set(reasoning.encrypted, reasoning);
    add(this.#reasoningOf, item, reasoning?.encrypted);
  }

  spoke(text: string, phase: string): void {
    add(this.#phases, text, phase);
  }

  /** What was said by the reasoning of that content. */
  find(encrypted: string): SaidReasoning | undefined {
    return this.#reasoning.get(encrypted);
  }

  /** Whether the reasoning may stand before an item. */
  mayFollow(item: string, encrypted: string | undefined): boolean {
    return this.#reasoningOf.get(item)?.has(encrypted) ?? true;
  }

  mayBePhase(text: string, phase: unknown): boolean {
    return this.#phases.get(text)?.has(phase) ?? true;
  }
}

export interface SaidReasoning {
  readonly encrypted: string;
  /** More than one where ids change from event to event. */
  readonly ids: ReadonlySet<string>;
  readonly summary: readonly string[];
  /** What follows it: the id of a call, or `text:` and a text; undefined: nothing did. */
  readonly before: string | undefined;
}

function add<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}
