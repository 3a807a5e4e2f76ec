import { printableLine } from "../../../lib/text/printable.ts";

/** The last lines that a server has said to people, for `doctor`. Bounded, and without the secrets it was given. */
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
// More than is shown, so that no secret is cut in two.
const maxHeld = 10_000;

/** Names that there was one, and keeps it to itself. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
}
