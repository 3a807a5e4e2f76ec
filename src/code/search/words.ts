import { stem } from "./stem.ts";

/**
 * The terms that a text is found by: the words of its identifiers and prose, split at case, underscores and digits and
 * without their endings; and `=` with the whole of an identifier that has several words or a capital, in lower case.
 */
export function eachTerm(text: string, start: number, end: number, tell: (term: string) => void): void {
  let at = start;
  while (at < end) {
    while (at < end && !isWordCode(text.charCodeAt(at))) at += 1;
    const first = at;
    while (at < end && isWordCode(text.charCodeAt(at))) at += 1;
    if (at - first < 2) continue;
    // What is longer is data.
    if (at - first > maxIdentifierChars) continue;
    for (const term of termsOfIdentifier(text.slice(first, at))) tell(term);
  }
}

/** The same as a list, in the order of the text. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  eachTerm(text, 0, text.length, (term) => terms.push(term));
  return terms;
}

const maxIdentifierChars = 80;

function isWordCode(code: number): boolean {
  if (code < 0x80) return isAsciiWord[code] === 1;
  // Punctuation and spaces of other scripts.
  return !(
    (code >= 0x80 && code <= 0xbf) ||
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f)
  );
}

const isAsciiWord: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Code says the same words over and over. */
const known = new Map<string, readonly string[]>();
const maxKnown = 200_000;

function termsOfIdentifier(identifier: string): readonly string[] {
  const remembered = known.get(identifier);
  if (remembered) return remembered;
  const terms = split(identifier);
  if (known.size >= maxKnown) known.clear();
  // A slice would keep the whole text alive.
  known.set(Buffer.from(identifier, "utf16le").toString("utf16le"), terms);
  return terms;
}

function split(identifier: string): readonly string[] {
  const parts = identifier.match(wordParts) ?? [];
  const terms: string[] = [];
  for (const part of parts) {
    if (isIdeographic.test(part)) terms.push(...pairs(part));
    else if (part.length > 1 && !(part.length > 6 && isNumber.test(part)))
      terms.push(stem(part.toLowerCase()));
  }
  const isName = parts.length > 1 || /^\p{Lu}/u.test(identifier);
  if (isName && !isNumber.test(identifier)) terms.push(`=${identifier.toLowerCase()}`);
  return terms;
}

/** `HTTPServers2` is HTTP, Servers and 2; `URLs` is one word. */
const wordParts = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+|[\p{L}\p{M}]+/gu;

const isNumber = /^\d+$/;
const isIdeographic = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** What is written without spaces is found by any two neighbours. */
function pairs(part: string): string[] {
  const characters = Array.from(part);
  if (characters.length === 1) return [part];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
