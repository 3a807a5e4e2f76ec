/** A piece of RTF. */
export type Token =
  | { readonly kind: "open" | "close" }
  /** Text with one character for each byte. `\'e4` is such a byte too. */
  | { readonly kind: "text"; readonly text: string }
  /** A control such as `\par`, `\u8211` or `\~`: letters with an optional number, or one sign. */
  | { readonly kind: "control"; readonly word: string; readonly value: number | undefined };

/** Yields the pieces in order, without binary data. */
export function* tokensOf(source: string): Generator<Token, void, undefined> {
  const token = new RegExp(pieces);
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [all, text, hex, word, number, sign] = match;
    const value = number === undefined ? undefined : Number(number);
    if (all === "{") yield { kind: "open" };
    else if (all === "}") yield { kind: "close" };
    else if (text !== undefined) yield { kind: "text", text };
    else if (hex !== undefined) yield { kind: "text", text: String.fromCharCode(Number.parseInt(hex, 16)) };
    else if (word === "bin") token.lastIndex += Math.max(value ?? 0, 0);
    else if (word !== undefined) yield { kind: "control", word, value };
    // A line end after a backslash ends the paragraph.
    else if (sign !== undefined) yield { kind: "control", word: /[\r\n]/.test(sign) ? "par" : sign, value };
  }
}

/** Matches braces, text, `\'e4`, a word with its trailing space, or a sign. Line ends outside of these mean nothing. */
const pieces =
  /[{}]|([^\\{}\r\n]+)|\\'([\da-f]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\(\r\n|[^'])|\\'.{0,2}|[\r\n\\]/gisy;
