import { stem } from "./stem.ts";

/**
 * The terms that a text is found by: the words of its identifiers and prose, split at case, underscores and digits and
 * without their endings; and `=` with the whole of an identifier that has several words or a capital, in lower case.
 * In the order of the text.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  eachTerm(text, 0, text.length, (number) => terms.push(termNumbered(number)));
  return terms;
}

/** Tells the terms of a stretch of text by numbers, which are good until terms are forgotten. */
export function eachTerm(text: string, start: number, end: number, tell: (number: number) => void): void {
  let at = start;
  while (at < end) {
    while (at < end && !isWordCode(text.charCodeAt(at))) at += 1;
    const first = at;
    while (at < end && isWordCode(text.charCodeAt(at))) at += 1;
    const length = at - first;
    if (length < 2 || length > maxIdentifierChars) continue;
    const identifier = text.slice(first, at);
    const numbers = known.get(identifier) ?? learn(identifier);
    for (let place = 0; place < numbers.length; place += 1) tell(numbers[place]!);
  }
}

export function termNumbered(number: number): string {
  return terms[number]!;
}

/** To be called between texts: what was met in many of them would fill the memory. */
export function forgetTerms(): void {
  if (known.size < mostKnown && terms.length < mostKnown) return;
  known.clear();
  numbersOf.clear();
  terms.length = 0;
}

/** What is longer is data. */
const maxIdentifierChars = 80;

function isWordCode(code: number): boolean {
  if (code < 0x80) return isAsciiWord[code] === 1;
  // Punctuation and spaces of other scripts.
  return !(
    code <= 0xbf ||
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f)
  );
}

const isAsciiWord: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Code says the same words over and over: they are split once. */
const known = new Map<string, readonly number[]>();
const numbersOf = new Map<string, number>();
const terms: string[] = [];
const mostKnown = 300_000;

function learn(identifier: string): readonly number[] {
  const numbers = split(identifier).map((term) => {
    let number = numbersOf.get(term);
    if (number === undefined) {
      number = terms.push(term) - 1;
      numbersOf.set(term, number);
    }
    return number;
  });
  // A slice would keep the whole text alive.
  known.set(Buffer.from(identifier, "utf16le").toString("utf16le"), numbers);
  return numbers;
}

function split(identifier: string): readonly string[] {
  const parts = identifier.match(wordParts) ?? [];
  const found: string[] = [];
  for (const part of parts) {
    if (isIdeographic.test(part)) found.push(...pairs(part));
    else if (part.length > 1 && !(part.length > 6 && isNumber.test(part)))
      found.push(stem(part.toLowerCase()));
  }
  const isName = parts.length > 1 || /^\p{Lu}/u.test(identifier);
  if (isName && !isNumber.test(identifier)) found.push(`=${identifier.toLowerCase()}`);
  return found;
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
