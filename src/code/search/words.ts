import { NumberList } from "./number-list.ts";
import { stem } from "./stem.ts";
import { addToHash, firstHash, StretchTable } from "./stretch-table.ts";

/**
 * The terms that a text is found by: the words of its identifiers and prose, split at case, underscores and digits and
 * without their endings; and `=` with the whole of an identifier that has several words or a capital, in lower case.
 * In the order of the text.
 */
export function termsOf(text: string): string[] {
  if (remembered.isFull) remembered = new Terms();
  return Array.from(remembered.numbersOf(text), (number) => remembered.term(number));
}

/** Terms by number. Code says the same words over and over: they are split once. */
export class Terms {
  readonly #identifiers = new StretchTable();
  /** The terms of each identifier. */
  readonly #parts: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  /** By number of a term: the number of the same with "@" before it. */
  readonly #named: number[] = [];

  get size(): number {
    return this.#terms.length;
  }

  /** Whether it is time to begin anew: what was met in many texts would fill the memory. */
  get isFull(): boolean {
    return this.#identifiers.size > mostKnown || this.size > mostKnown;
  }

  term(number: number): string {
    return this.#terms[number]!;
  }

  numberOf(term: string): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#terms.push(term) - 1;
      this.#named.push(unknown);
      this.#numbers.set(term, number);
    }
    return number;
  }

  numbersOf(text: string): Uint32Array {
    found.length = 0;
    this.gather(text, 0, text.length, found);
    return found.numbers.slice(0, found.length);
  }

  /** The numbers under which these words are listed once more when they are those of a name: with "@" before them. */
  named(numbers: Uint32Array): readonly number[] {
    const named: number[] = [];
    for (const number of numbers) {
      const known = this.#named[number]!;
      const other = known === unknown ? this.#learnNamed(number) : known;
      if (other !== none && !named.includes(other)) named.push(other);
    }
    return named;
  }

  /** Adds the numbers of the terms of a stretch of text. */
  gather(text: string, start: number, end: number, found: NumberList): void {
    let at = start;
    while (at < end) {
      while (at < end && !isWordCode(text.charCodeAt(at))) at += 1;
      const first = at;
      let hash = firstHash;
      for (; at < end; at += 1) {
        const unit = text.charCodeAt(at);
        if (!isWordCode(unit)) break;
        hash = addToHash(hash, unit);
      }
      const length = at - first;
      if (length < 2 || length > maxIdentifierChars) continue;
      const identifier = this.#identifiers.numberOf(text, first, at, hash);
      const parts = this.#parts[identifier] ?? this.#learn(text.slice(first, at));
      for (let place = 0; place < parts.length; place += 1) found.push(parts[place]!);
    }
  }

  #learnNamed(number: number): number {
    const term = this.term(number);
    const named = term.startsWith("=") ? none : this.numberOf(`@${term}`);
    this.#named[number] = named;
    return named;
  }

  /** Of the identifier that was numbered last. */
  #learn(identifier: string): readonly number[] {
    const numbers = split(identifier).map((term) => this.numberOf(term));
    this.#parts.push(numbers);
    return numbers;
  }
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

const mostKnown = 300_000;

const unknown = -1;
const none = -2;

let remembered = new Terms();
const found = new NumberList();

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
