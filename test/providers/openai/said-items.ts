/** What the model has said of itself: it wants to see that again exactly as it was. */
export class SaidItems {
  readonly #reasoning = new Map<string, SaidReasoning>();
  /** By what it belongs to. */
  readonly #reasoningOf = new Map<string, string>();
  readonly #phases = new Map<string, string>();

  reasoned(reasoning: SaidReasoning): void {
    this.#reasoning.set(reasoning.encrypted, reasoning);
    if (reasoning.before !== undefined) this.#reasoningOf.set(reasoning.before, reasoning.encrypted);
  }

  spoke(text: string, phase: string): void {
    this.#phases.set(text, phase);
  }

  /** What was said by the reasoning of that content. */
  find(encrypted: string): SaidReasoning | undefined {
    return this.#reasoning.get(encrypted);
  }

  /** The reasoning that has to stand before an item. */
  neededBy(item: string): string | undefined {
    return this.#reasoningOf.get(item);
  }

  phaseOf(text: string): string | undefined {
    return this.#phases.get(text);
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
