import { type Cursor, isWordAt } from "./cursor.ts";
import { integer, mostBits, quotient, tooLarge, type Value } from "./value.ts";

/** The number that is written at the cursor, exactly; undefined where none begins. */
export function readLiteral(cursor: Cursor): Value | undefined {
  return readShort(cursor) ?? readAny(cursor);
}

/** Most are short and plain: that is read many times quicker than by an expression. */
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
  if (!isNumber || goesOn(code)) return undefined;
  cursor.goTo(place);
  if (point === -1) return BigInt(digits);
  return quotient(BigInt(digits), powersOfTen[place - point - 1]!);
}

/** With an exponent, a mark between digits, or as no number at all. */
function goesOn(code: number): boolean {
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
const letterA = 0x61;
const letterZ = 0x7a;
const lastAscii = 0x7f;
const underscore = 0x5f;
/** Characters, of which a number keeps all digits. */
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
    `${JSON.stringify(written.slice(0, 40))} is no number`,
    "Numbers are like 12, 0.5, 1e3, 1_000, 0xff, 0b101; write every operator: 2 * pi.",
  );
}
