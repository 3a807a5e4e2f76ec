/** What a shell tells, each text ended by a NUL byte. */
export class Messages {
  readonly #texts: string[] = [];
  #wake: ((text: string) => void) | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    void this.#read(source);
  }

  /** The next one; for ever if there is none. */
  next(): Promise<string> {
    const text = this.#texts.shift();
    if (text !== undefined) return Promise.resolve(text);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(source: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of source) {
      const texts = (rest + decoder.decode(bytes, { stream: true })).split("\0");
      rest = texts.pop()!.slice(-longest);
      for (const text of texts) this.#take(text);
    }
  }

  #take(text: string): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) wake(text);
    else this.#texts.push(text);
  }
}

const longest = 65_536;

/** The end of what the shell complains about; read to its end, so that it never waits for a reader. */
export async function lastWords(source: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of source) text = (text + decoder.decode(bytes, { stream: true })).slice(-2000);
  return text.trim();
}
