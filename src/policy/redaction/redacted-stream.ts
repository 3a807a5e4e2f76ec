import { redactText } from "./redact.ts";

/**
 * Redacts a text that comes in pieces. What could be the beginning of a secret is held back until the line is whole, a
 * private key until its last line has come, both within bounds.
 */
export class RedactedStream {
  #held = "";

  /** What can be passed on when this piece has come. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = endOfWhole(text);
    this.#held = text.slice(end);
    return redactText(text.slice(0, end));
  }

  /** The rest. */
  end(): string {
    const rest = redactText(this.#held);
    this.#held = "";
    return rest;
  }
}

const maxHeld = 16 * 1024;

/** No key is longer that stands in one line. */
const longestKey = 1024;

function endOfWhole(text: string): number {
  const lines = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  const key = text.lastIndexOf("-----BEGIN ");
  const isOpenKey = key >= 0 && key < lines && openKey.test(text.slice(key));
  const end = isOpenKey ? key : lines;
  return text.length - end <= maxHeld ? end : Math.max(end, betweenWords(text));
}

const openKey = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?!.*-----END )/s;

/** A place in a line without end where nothing is torn, if there is one. */
function betweenWords(text: string): number {
  let end = text.length - longestKey;
  const least = end - longestKey;
  while (end > least && /[\w+/=.-]/.test(text[end - 1]!)) end -= 1;
  return end > least ? end : text.length - longestKey;
}
