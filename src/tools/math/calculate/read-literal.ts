import { ToolError } from "../../../contract/error.ts";
import { integer, mostBits, quotient, tooLarge, type Value } from "./value.ts";

/** Reads the exact number at the cursor; undefined if none begins there. */
export function readLiteral(cursor: Cursor): Value | undefined {
  return readShort(cursor) ?? readAny(cursor);
}

/** Reads short plain numbers, many times faster than a regular expression. */
function readShort(cursor: Cursor): Value | undefined {
  const { text, at } = cursor;
  let digits = 0;
  let place = at;
  let point = -1;
  let code = text.charCodeAt(place);
  while ((code >= digit0 && code <= digit9) || (code === dot && point === -1)) {
    if (code === dot) point = place;
    else digits = digits * 10 + code - digit0;
    place += 1;
    code = text.charCodeAt(place);
  }
  const isNumber = place - at > (point === -1 ? 0 : 1) && place - at <= mostShort;
  if (!isNumber || belongsToNumber(code)) return undefined;
  cursor.goTo(place);
  if (point === -1) return BigInt(digits);
  return quotient(BigInt(digits), powersOfTen[place - point - 1]!);
}

/** Returns whether the character after the digits belongs to the number, or makes it invalid. */
function belongsToNumber(code: number): boolean {
  const letter = code | 0x20;
  return code === dot || code === underscore || (letter >= letterA && letter <= letterZ) || code > lastAscii;
}

function readAny(cursor: Cursor): Value | undefined {
  const { text, at } = cursor;
  literalHere.lastIndex = at;
  const match = literalHere.exec(text);
  if (!match) return undefined;
  const [written, based, whole = "", fraction = "", exponent = ""] = match;
  const end = at + written.length;
  if (isWordAt(text, end) || /[\d.]/.test(text[end] ?? "")) throw notANumber(cursor);
  cursor.goTo(end);
  if (based !== undefined) return integer(BigInt(withoutMarks(based)));
  if (fraction === "" && exponent === "") return plainInteger(withoutMarks(whole));
  return scaledInteger(withoutMarks(whole + fraction), withoutMarks(exponent), withoutMarks(fraction).length);
}

const digit0 = 0x30;
const digit9 = 0x39;
const dot = 0x2e;
const underscore = 0x5f;
/** A JavaScript number holds all digits of a literal of this length. */
const mostShort = 15;
const powersOfTen = Array.from({ length: mostShort }, (_, power) => 10n ** BigInt(power));

const literalHere =
  /(0x[\da-f]+(?:_[\da-f]+)*|0b[01]+(?:_[01]+)*|0o[0-7]+(?:_[0-7]+)*)|(?=\.?\d)(\d*(?:_\d+)*)(?:\.(\d*(?:_\d+)*))?(?:e([+-]?\d+))?/iy;

function plainInteger(digits: string): bigint {
  return digits.length < 16 ? BigInt(Number(digits)) : integer(BigInt(digits));
}

function scaledInteger(digits: string, exponent: string, places: number): Value {
  const shift = Number(exponent) - places;
  if (Math.abs(shift) > mostBits / 4) throw tooLarge();
  const scale = 10n ** BigInt(Math.abs(shift));
  return shift >= 0 ? integer(plainInteger(digits) * scale) : quotient(plainInteger(digits), scale);
}

function withoutMarks(digits: string): string {
  return digits.includes("_") ? digits.replaceAll("_", "") : digits;
}

function notANumber(cursor: Cursor) {
  const written = /^[^\s+\-*/%^!(),]+/.exec(cursor.text.slice(cursor.at))![0];
  return cursor.refused(
    `${JSON.stringify(written.slice(0, 40))} is not a number`,
    "Numbers are like 12, 0.5, 1e3, 1_000, 0xff, 0b101; write every operator: 2 * pi.",
  );
}

/** A position in an expression, never at a space. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** The next operator or character in its usual spelling; "" at the end. */
  next = "";
  readonly #hint: string | undefined;

  /** `hint` replaces the hints of syntax errors, which recommend functions. */
  constructor(text: string, hint?: string) {
    this.text = text;
    this.#hint = hint;
    this.goTo(0);
  }

  /** Moves to the first position from `at` on that is not a space. */
  goTo(at: number): void {
    const { text } = this;
    let place = at;
    let code = text.charCodeAt(place);
    while (code <= space || code === hardSpace) {
      place += 1;
      code = text.charCodeAt(place);
    }
    this.at = place;
    const character = text[place] ?? "";
    if (code > lastAscii) this.next = spellings[character] ?? character;
    else this.next = character === "*" && text[place + 1] === "*" ? "**" : character;
  }

  /** Skips `operator` if it comes next. */
  take(operator: string): boolean {
    if (this.next !== operator) return false;
    this.goTo(this.at + operator.length);
    return true;
  }

  /** Returns the next name without skipping it, or "" if there is none. */
  word(): string {
    const code = this.text.charCodeAt(this.at) | 0x20;
    const isLetter = (code >= letterA && code <= letterZ) || code > lastAscii || this.next === "_";
    if (!isLetter) return "";
    wordHere.lastIndex = this.at;
    return wordHere.exec(this.text)?.[0] ?? "";
  }

  expected(what: string): ToolError {
    const found = this.next;
    const place = found === "" ? "at the end" : `at character ${this.at + 1}, found ${this.#shown()}`;
    const hint = this.#hint ?? hintFor(found, this.text);
    return new ToolError("invalid-input", `Expected ${what} ${place}`, { hint });
  }

  refused(message: string, hint: string): ToolError {
    return new ToolError("invalid-input", `${message}, at character ${this.at + 1}`, { hint });
  }

  #shown(): string {
    const word = this.word() || String.fromCodePoint(this.text.codePointAt(this.at)!);
    return JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word);
  }
}

const space = 0x20;
const hardSpace = 0xa0;
const lastAscii = 0x7f;
const letterA = 0x61;
const letterZ = 0x7a;

/** The letters are listed, because loading `\p{L}` takes longer than all other work here. */
const wordHere =
  /[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\ud7ff][\w\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\ud7ff]*/y;

function isWordAt(text: string, at: number): boolean {
  wordHere.lastIndex = at;
  return wordHere.test(text);
}

const spellings: Readonly<Record<string, string>> = {
  "×": "*",
  "·": "*",
  "⋅": "*",
  "∙": "*",
  "∗": "*",
  "÷": "/",
  "∕": "/",
  "−": "-",
  "–": "-",
};

function hintFor(found: string, text: string): string {
  if (found === "=" || found === "<" || found === ">")
    return "Give one arithmetic expression: there are no comparisons and no variables.";
  if (found === ",") return "Write 1000 or 1_000: a comma only separates the arguments of a function.";
  if (found === "." || found === "[") return "Write sqrt(2), not Math.sqrt(2).";
  if (found === "" && text.trimEnd().endsWith("%")) return percent;
  if (found === ")" && text.includes("%")) return percent;
  if (found === "/") return "For a quotient without its fraction write floor(a / b).";
  if (found === "" && text.includes("(")) return "Close every ( with a ).";
  if (isWordAt(found, 0) || /[\d(√]/.test(found))
    return "Write every operator: 2 * pi, 3 * (1 + 2), sqrt(2).";
  return "Write an expression like (2 + 3) * 4 ^ 2 / sqrt(2).";
}

const percent = "% is the remainder of a division; for ten percent of x write x * 10 / 100.";
