/** Git quotes names with odd bytes like C: octal codes and backslashes. `text` begins with the quote; what follows the second is left out. */
export function unquoteC(text: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  const bytes: Buffer[] = [];
  for (const [part, octal, character] of inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8)));
    else bytes.push(Buffer.from(character === undefined ? part : (escapes[character] ?? character)));
  }
  return Buffer.concat(bytes).toString();
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};
