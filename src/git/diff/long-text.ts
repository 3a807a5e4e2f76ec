import type { KeptOutput, OutputKept, Outputs } from "../../contract/output.ts";
import { showSize } from "../../lib/show-size.ts";
import { characterStart } from "../../lib/truncate.ts";

/** A text of any length: its beginning is held, the whole is kept under a handle once it is longer. */
export class LongText {
  readonly #outputs: Outputs;
  readonly #maxChars: number;
  #held = "";
  #kept: KeptOutput | undefined;

  constructor(outputs: Outputs, maxChars: number) {
    this.#outputs = outputs;
    this.#maxChars = maxChars;
  }

  async add(text: string): Promise<void> {
    if (this.#kept !== undefined) return this.#kept.isFull ? undefined : this.#kept.write(text);
    this.#held += text;
    if (this.#held.length <= this.#maxChars) return;
    this.#kept = this.#outputs.begin();
    await this.#kept.write(this.#held);
    this.#held = beginningOf(this.#held, this.#maxChars);
  }

  async end(): Promise<{ readonly text: string; readonly kept?: OutputKept }> {
    if (this.#kept === undefined) return { text: this.#held };
    const { handle } = this.#kept;
    const { keptBytes, isWhole } = await this.#kept.end({ keep: true });
    const way = `kept as ${handle}: give it as a path to file.read or search.grep.`;
    const note = isWhole
      ? `The whole diff is ${way}`
      : `The first ${showSize(keptBytes)} of the diff are ${way}`;
    const kept =
      keptBytes === 0
        ? { handle: undefined, note: "The rest could not be kept: ask for fewer paths.", gaps: [] }
        : { handle, note, gaps: [] };
    return { text: this.#held, kept };
  }
}

/** Whole lines, unless the first is too long. */
function beginningOf(text: string, maxChars: number): string {
  const end = text.lastIndexOf("\n", maxChars - 1) + 1;
  return text.slice(0, end > 0 ? end : characterStart(text, maxChars));
}
