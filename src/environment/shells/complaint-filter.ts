/**
 * Leaves out what an interactive bash without a terminal says in the errors of each command that ends by a signal: that it
 * could not set the terminal. It comes in up to three writes.
 */
export class ComplaintFilter {
  #held = "";

  /** What of these bytes can be passed on now. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.#held === "" && !bytes.includes(colon)) return bytes;
    const text = this.#held + Buffer.from(bytes).toString("latin1");
    const clean = text.replace(complaint, "");
    const at = clean.search(beginning);
    this.#held = at < 0 ? "" : clean.slice(at);
    return Buffer.from(at < 0 ? clean : clean.slice(0, at), "latin1");
  }

  /** What was held back and was nothing of the kind. */
  end(): Uint8Array {
    const rest = Buffer.from(this.#held, "latin1");
    this.#held = "";
    return rest;
  }
}

const colon = ":".charCodeAt(0);
const complaint = /(?:\/[^\s:]{0,200}\/)?bash: \[\d+: \d+ \(\d+\)\] tcsetattr: [^\n]{1,80}\n/g;
const beginning = /(?:\/[^\s:]{0,200}\/)?bash: (?:\[[\d: ()]{0,60}(?:\] (?:tcsetattr[^\n]{0,90})?)?)?$/;
