import { getOrMake } from "../get-or-make.ts";

/**
 * Returns the terms of a text, in order: the words of its identifiers and prose, split at case, underscores and digits
 * and without their endings; and `=` with the whole lower-case identifier if it has several words or a capital.
 */
export function termsOf(text: string): string[] {
  if (remembered.isFull) remembered = new Terms();
  return Array.from(remembered.numbersOf(text), (number) => remembered.term(number));
}

/** Numbers terms. Code repeats its words, so each identifier is split only once. */
export class Terms {
  readonly #identifiers = new StretchTable();
  readonly #parts: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  /** For each term number, the number of the same term after "@". */
  readonly #named: number[] = [];

  get size(): number {
    return this.#terms.length;
  }

  /** Returns whether to start over, because the terms of many texts would fill the memory. */
  get isFull(): boolean {
    return this.#identifiers.size > mostKnown || this.size > mostKnown;
  }

  term(number: number): string {
    return this.#terms[number]!;
  }

  numberOf(term: string): number {
    return getOrMake(this.#numbers, term, () => {
      this.#named.push(unknown);
      return this.#terms.push(term) - 1;
    });
  }

  numbersOf(text: string): Uint32Array {
    found.length = 0;
    this.gather(text, 0, text.length, found);
    return found.numbers.slice(0, found.length);
  }

  /** Returns the numbers of the same terms after "@", which mark words of a name. */
  named(numbers: Uint32Array): readonly number[] {
    const named: number[] = [];
    for (const number of numbers) {
      const known = this.#named[number]!;
      const other = known === unknown ? this.#learnNamed(number) : known;
      if (other !== none && !named.includes(other)) named.push(other);
    }
    return named;
  }

  gather(text: string, start: number, end: number, found: NumberList): void {
    let at = start;
    while (at < end) {
      while (at < end && !isWordCode(text.charCodeAt(at))) at += 1;
      const first = at;
      let hash = firstHash;
      for (; at < end; at += 1) {
        const unit = text.charCodeAt(at);
        if (!isWordCode(unit)) break;
        hash = Math.imul(hash ^ unit, 0x01000193);
      }
      const length = at - first;
      if (length < 2 || length > maxIdentifierChars) continue;
      const identifier = this.#identifiers.numberOf(text, first, at, hash);
      const parts = this.#parts[identifier] ?? this.#learn(text.slice(first, at));
      for (let position = 0; position < parts.length; position += 1) found.push(parts[position]!);
    }
  }

  #learnNamed(number: number): number {
    const term = this.term(number);
    const named = term.startsWith("=") ? none : this.numberOf(`@${term}`);
    this.#named[number] = named;
    return named;
  }

  #learn(identifier: string): readonly number[] {
    const numbers = split(identifier).map((term) => this.numberOf(term));
    this.#parts.push(numbers);
    return numbers;
  }
}

const maxIdentifierChars = 80;

function isWordCode(code: number): boolean {
  if (code < 0x80) return isAsciiWord[code] === 1;
  // These ranges are punctuation and spaces of other scripts.
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

const mostKnown = 40_000;
const unknown = -1;
const none = -2;

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

/** Splits `HTTPServers2` into HTTP, Servers and 2; `URLs` is one word. */
const wordParts = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+|[\p{L}\p{M}]+/gu;

const isNumber = /^\d+$/;
const isIdeographic = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Returns all pairs of neighbouring characters, by which text without spaces is found. */
function pairs(part: string): string[] {
  const characters = Array.from(part);
  if (characters.length === 1) return [part];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Returns the lower-case words of a name: "parseHTTPToken" has "parse", "http" and "token". */
export function nameWords(name: string): readonly string[] {
  const parts = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/** Returns the terms of a symbol's name: its last word, its last two words, and so on. */
export function nameTerms(name: string): readonly string[] {
  const words = nameWords(name).slice(-maxWords);
  return words.map((_, index) => nameTerm(words.slice(index)));
}

export function nameTerm(words: readonly string[]): string {
  return `~${words.slice(-maxWords).join("")}`;
}

export function endsWithWords(name: string, words: readonly string[]): boolean {
  return nameTerms(name).includes(nameTerm(words));
}

const maxWords = 8;

/** Returns a word without plural, -ing, -ed and a final e. The result is only for comparison and may not be a word. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = withoutParticiple(singular);
  return bare.length > 3 && bare.endsWith("e") ? bare.slice(0, -1) : bare;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string): string {
  const match = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word);
  const bare = match?.[1];
  if (bare === undefined || bare.length < 3) return word;
  // A doubled consonant is halved in "mapped" and "running", but not in "calling" and "passing".
  return /([^aeiouylsz])\1$/.test(bare) ? bare.slice(0, -1) : bare;
}

/** Numbers the distinct parts of texts from 0. Hashes and compares them in place, which avoids a string for each. */
class StretchTable {
  /** Each slot holds a number plus one, or 0. The length is a power of two, and at most half of the slots are used. */
  #slots = new Uint32Array(2 ** 12);
  #units = new Uint16Array(2 ** 14);
  readonly #hashes = new NumberList();
  readonly #starts = new NumberList();

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** Returns the number of a part. A new part gets the next number. `hash` is that of its units. */
  numberOf(text: string, start: number, end: number, hash: number): number {
    const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = spread & last;
    for (let found = slots[slot]!; found > 0; found = slots[slot]!) {
      if (this.#hashes.numbers[found - 1] === spread && this.#is(found - 1, text, start, end))
        return found - 1;
      slot = (slot + 1) & last;
    }
    slots[slot] = this.#add(text, start, end, spread) + 1;
    if (this.size * 2 > slots.length) this.#spreadOut();
    return this.size - 1;
  }

  #is(number: number, text: string, start: number, end: number): boolean {
    const first = this.#starts.numbers[number]!;
    if (this.#starts.numbers[number + 1]! - first !== end - start) return false;
    const units = this.#units;
    for (let at = start; at < end; at++) if (text.charCodeAt(at) !== units[first + at - start]) return false;
    return true;
  }

  #add(text: string, start: number, end: number, spread: number): number {
    const first = this.#starts.numbers[this.size]!;
    if (first + end - start > this.#units.length)
      this.#units = new Uint16Array(this.#units.buffer.transfer(this.#units.byteLength * 2));
    for (let at = start; at < end; at++) this.#units[first + at - start] = text.charCodeAt(at);
    this.#starts.push(first + end - start);
    this.#hashes.push(spread);
    return this.size - 1;
  }

  #spreadOut(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const last = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = this.#hashes.numbers[number]! & last;
      while (slots[slot]! > 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** The start of all hashes is random, so that no file can be crafted whose words all collide. */
const firstHash: number = (Math.random() * 2 ** 32) | 0;

export class NumberList {
  numbers: Uint32Array<ArrayBuffer> = new Uint32Array(1024);
  length = 0;

  push(number: number): void {
    if (this.length === this.numbers.length)
      this.numbers = new Uint32Array(this.numbers.buffer.transfer(this.length * 8));
    this.numbers[this.length++] = number;
  }
}

// These are at the end of the module, because they use the classes above while it loads.
let remembered = new Terms();
const found = new NumberList();
