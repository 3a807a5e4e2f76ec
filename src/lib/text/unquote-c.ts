/**
 * Decodes a name that git has quoted as in C. `text` begins with the quote; text after the closing quote is ignored.
 */
export function unquoteC(text: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  const bytes: Buffer[] = [];
  for (const [part, octal, character] of inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8)));
    else bytes.push(Buffer.from(character === undefined ? part : (escapes[character] ?? character)));
  }
  return Buffer.concat(bytes).toString();
}

// biome-ignore format: one line reads better
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
