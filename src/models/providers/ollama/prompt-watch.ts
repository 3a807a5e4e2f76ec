/**
 * Knows when Ollama has left out part of a conversation, of which it says nothing: then it counts fewer tokens than what was
 * sent must have. How many tokens a text has is learnt from the requests before.
 */
export class PromptWatch {
  readonly #contextTokens: number;
  /** Of the last request that was read as a whole. */
  #learnt: number | undefined;

  constructor(contextTokens: number) {
    this.#contextTokens = contextTokens;
  }

  /** Whether a request of so many characters was cut, if so many tokens were read. */
  isCut(characters: number, tokens: number): boolean {
    // Some servers of old do not count what they had kept.
    if (tokens === 0 || characters < fewCharacters) return false;
    const expected = characters * (this.#learnt ?? 0);
    const least = Math.max(characters * fewestTokens, expected * 0.6);
    if (tokens < least || expected > this.#contextTokens * 1.1) return true;
    this.#learnt = Math.min(tokens / characters, mostTokens);
    return false;
  }
}

/** What surrounds messages counts for too much in a short request. */
const fewCharacters = 4_000;

/** For a character: hardly any text has fewer. */
const fewestTokens = 1 / 8;
const mostTokens = 1 / 3;
