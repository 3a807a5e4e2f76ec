import { findKeys } from "./key-shapes.ts";
import { findNamedValues } from "./named-values.ts";
import { findPrivateKeys } from "./private-keys.ts";
import type { Secret } from "./secret.ts";

/**
 * What in a text looks like a secret, in order and without overlaps. Takes time in proportion to the length of the
 * text, and hardly looks at most of it.
 */
export function findSecrets(text: string): readonly Secret[] {
  if (text.length < shortestSecret) return none;
  const keys = findKeysIn(text);
  const values = findNamedValues(text);
  const lines = findPrivateKeys(text);
  return keys.length + values.length + lines.length === 0 ? none : joined([...keys, ...values, ...lines]);
}

const none: readonly Secret[] = [];
const shortestSecret = 8;

/** The shortest key that is told by its shape has so many letters. */
const shortestKey = 20;

/** Steps from word to word as far as a key is long, and so passes by most letters of most texts. */
function findKeysIn(text: string): readonly Secret[] {
  const { length } = text;
  const found: Secret[] = [];
  let from = 0;
  for (let at = shortestKey - 1; at < length; at = from + shortestKey - 1) {
    let left = at;
    while (left >= from && isWord(text.charCodeAt(left))) left -= 1;
    if (left >= from) {
      from = left + 1;
      continue;
    }
    let start = from;
    while (start > 0 && isWordOrDot(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < length && isWordOrDot(text.charCodeAt(end))) end += 1;
    for (const key of findKeys(text, start, end)) found.push(key);
    from = end;
  }
  return found;
}

const wordCodes = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w-]/.test(String.fromCharCode(code))),
);

function isWord(code: number): boolean {
  return code < 128 && wordCodes[code] === 1;
}

function isWordOrDot(code: number): boolean {
  return code === 0x2e || isWord(code);
}

/** Of secrets that overlap, one: named after the one found first, which is the more exact. */
function joined(found: readonly Secret[]): readonly Secret[] {
  const all: Secret[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last === undefined || secret.start >= last.end) all.push(secret);
    else all[all.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return all;
}
