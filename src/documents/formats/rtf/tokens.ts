/** One piece of RTF. `text` has a character for each byte. */
export type Token =
  | { readonly kind: "open" | "close" }
  | { readonly kind: "text"; readonly text: string }
  /** `\'e4`: a byte of the character set in force. */
  | { readonly kind: "byte"; readonly byte: number }
  /** `\par`, `\u8211`, `\~`: letters or a single sign; `value` is the number behind the letters. */
  | { readonly kind: "control"; readonly word: string; readonly value: number | undefined };

/** The pieces in their order. What is no RTF any more is text; binary data are left out. */
export function* tokensOf(source: string): Generator<Token, void, undefined> {
  let at = 0;
  while (at < source.length) {
    const character = source[at];
    if (character === "{" || character === "}") {
      yield character === "{" ? open : close;
      at += 1;
    } else if (character === "\r" || character === "\n") at += 1;
    else if (character !== "\\") {
      plain.lastIndex = at;
      const text = plain.exec(source)![0];
      yield { kind: "text", text };
      at += text.length;
    } else {
      control.lastIndex = at + 1;
      const [written, word, number] = control.exec(source) ?? ["", undefined, undefined];
      at += 1 + written.length;
      if (word !== undefined) {
        const value = number === undefined ? undefined : Number(number);
        if (word === "bin") at += Math.max(value ?? 0, 0);
        else yield { kind: "control", word, value };
      } else if (source[at] === "'") {
        const byte = Number.parseInt(source.slice(at + 1, at + 3), 16);
        if (!Number.isNaN(byte)) yield { kind: "byte", byte };
        at += 3;
      } else if (at < source.length) {
        // A line end behind a backslash ends the paragraph.
        const sign = source[at]!;
        yield { kind: "control", word: sign === "\n" || sign === "\r" ? "par" : sign, value: undefined };
        at += sign === "\r" && source[at + 1] === "\n" ? 2 : 1;
      }
    }
  }
}

const open: Token = { kind: "open" };
const close: Token = { kind: "close" };
const plain = /[^\\{}\r\n]+/y;
/** One space behind a word belongs to it. */
const control = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;
