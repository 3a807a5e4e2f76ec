/** Questions that wait for an answer, so that nobody is asked twice for what one answer may settle. */
export class OpenQuestions {
  readonly #open = new Map<string, Promise<void>>();

  /** Waits for the question that is open for one of these grants, if there is any. */
  answered(grants: readonly string[]): Promise<void> | undefined {
    const grant = grants.find((line) => this.#open.has(line));
    return grant === undefined ? undefined : this.#open.get(grant);
  }

  /** Asks, and lets others wait meanwhile. */
  async ask<Answer>(grants: readonly string[], work: () => Promise<Answer>): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const grant of grants) this.#open.set(grant, promise);
    try {
      return await work();
    } finally {
      for (const grant of grants) this.#open.delete(grant);
      resolve();
    }
  }
}
