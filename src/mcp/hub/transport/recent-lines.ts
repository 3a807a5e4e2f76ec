import { printableLine } from "../../../lib/text/printable.ts";

/** The last lines of a server's standard error, for `doctor`. Bounded, and without the server's secrets. */
export class RecentLines {
  readonly #secrets: readonly string[];
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #open = "";

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  take(bytes: Uint8Array): void {
    const [first = "", ...others] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    this.#open = `${this.#open}${first}`.slice(0, maxHeld);
    for (const next of others) {
      this.#keep();
      this.#open = next.slice(0, maxHeld);
    }
  }

  get all(): readonly string[] {
    return this.#open.trim() === "" ? this.#lines : [...this.#lines, this.#show(this.#open)];
  }

  #keep(): void {
    if (this.#open.trim() !== "") this.#lines.push(this.#show(this.#open));
    if (this.#lines.length > maxLines) this.#lines = this.#lines.slice(-maxLines);
  }

  #show(line: string): string {
    return printableLine(withoutSecrets(line.trimEnd(), this.#secrets).slice(0, maxChars).toWellFormed());
  }
}

const maxLines = 20;
const maxChars = 400;
// Held lines are longer than shown lines, so that no secret is cut in two.
const maxHeld = 10_000;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
}
