import type { Cursor } from "./cursor.ts";
import { integer, mostBits, quotient, tooLarge, type Value } from "./value.ts";

/** The number that is written at the cursor, exactly; undefined where none begins. */
export function readLiteral(cursor: Cursor): Value | undefined {
  const { text, at } = cursor;
  literalHere.lastIndex = at;
  const match = literalHere.exec(text);
  if (!match) return undefined;
  const [written, based, whole = "", fraction = "", exponent = ""] = match;
  cursor.at = at + written.length;
  if (/[\p{L}\p{N}_.]/u.test(text[cursor.at] ?? "")) throw notANumber(cursor, at);
  if (based !== undefined) return integer(BigInt(withoutMarks(based)));
  if (fraction === "" && exponent === "") return plainInteger(withoutMarks(whole));
  return scaledInteger(withoutMarks(whole + fraction), withoutMarks(exponent), withoutMarks(fraction).length);
}

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

function notANumber(cursor: Cursor, from: number) {
  const written = cursor.text.slice(from).match(/^[\p{L}\p{N}_.]+/u)![0];
  cursor.at = from;
  return cursor.refused(
    `${JSON.stringify(written.slice(0, 40))} is no number`,
    "Numbers are like 12, 0.5, 1e3, 1_000, 0xff, 0b101; write every operator: 2 * pi.",
  );
}
