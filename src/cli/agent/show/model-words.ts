import { printable } from "../../../lib/printable.ts";

/**
 * The words of a model for a terminal, piece by piece: nothing in them steers it, and none can be taken for the question
 * that we ask. What only the next piece decides is held until then.
 */
export class ModelWords {
  #held = "";

  add(piece: string): string {
    const text = this.#held + piece;
    const end = text.length - undecided(text);
    this.#held = text.slice(end);
    return showWords(text.slice(0, end));
  }

  /** What is left when no more comes. */
  end(): string {
    const left = showWords(this.#held);
    this.#held = "";
    return left;
  }
}

/** As approvals ask, see approve-on-terminal.ts. */
const question = "allow it?";

/** The same for words that are whole. */
export function showWords(text: string): string {
  return printable(text).replace(/allow it\?/gi, (words) => `"${words}"`);
}

/** How many characters at the end may belong together with what follows. */
function undecided(text: string): number {
  const tail = text.slice(1 - question.length).toLowerCase();
  for (let start = 0; start < tail.length; start += 1)
    if (question.startsWith(tail.slice(start))) return tail.length - start;
  // Half of a line end, or of a character.
  return /[\r\ud800-\udbff]$/.test(text) ? 1 : 0;
}
