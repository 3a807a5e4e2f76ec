import { ToolError } from "../../../contract/error.ts";

/** A fraction is exact; a number is an approximation with about fifteen digits. */
export type Value = Fraction | number;

/** In lowest terms; the denominator is positive, and 1 for an integer. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** About 9,900 digits: larger numbers would block the process for too long. */
export const mostBits: number = 2 ** 15;
/** A fraction with a longer denominator becomes an approximation. */
export const mostDenominatorBits = 2048;

const most = 1n << BigInt(mostBits);
const least = -most;
const mostDenominator = 1n << BigInt(mostDenominatorBits);
const leastShort = -mostDenominator;
const safe = BigInt(Number.MAX_SAFE_INTEGER);
const leastSafe = -safe;

export function integer(numerator: bigint): Fraction {
  if (numerator > most || numerator < least) throw tooLarge();
  return { numerator, denominator: 1n };
}

/** Refuses an approximation that overflows. */
export function approximate(value: number): number {
  if (Number.isNaN(value)) throw undefinedResult("The result is not defined");
  if (!Number.isFinite(value)) throw tooLarge("an approximation cannot exceed 1.8e308");
  return value;
}

/** The quotient of two integers; exact unless its denominator is too long. */
export function quotient(numerator: bigint, denominator: bigint): Value {
  if (denominator === 1n) return integer(numerator);
  if (denominator === 0n) throw undefinedResult("Division by zero");
  const divisor = greatestDivisor(numerator, denominator);
  const sign = denominator < 0n ? -divisor : divisor;
  const fraction = { numerator: integer(numerator / sign).numerator, denominator: denominator / sign };
  return fraction.denominator > mostDenominator ? toNumber(fraction) : fraction;
}

/** The greatest common divisor, never negative. */
export function greatestDivisor(one: bigint, other: bigint): bigint {
  let [left, right] = [one < 0n ? -one : one, other < 0n ? -other : other];
  while (right > safe) [left, right] = [right, left % right];
  if (right === 0n) return left;
  // Numbers are many times faster than bigints here.
  let [small, rest] = [Number(right), Number(left % right)];
  while (rest !== 0) [small, rest] = [rest, small % rest];
  return BigInt(small);
}

export function toNumber(value: Value): number {
  const { mantissa, exponent } = scaled(value);
  return exponent === 0 ? mantissa : approximate(mantissa * 2 ** exponent);
}

/** As mantissa × 2 ** exponent, also for values out of the range of numbers. */
export function scaled(value: Value): { readonly mantissa: number; readonly exponent: number } {
  if (typeof value === "number") return { mantissa: value, exponent: 0 };
  const { numerator, denominator } = value;
  if (numerator <= safe && numerator >= leastSafe && denominator <= safe)
    return { mantissa: Number(numerator) / Number(denominator), exponent: 0 };
  const shift = bitsOf(denominator) - bitsOf(numerator) + 64;
  const digits =
    shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift));
  return { mantissa: Number(digits), exponent: -shift };
}

/** Number of bits of an integer, give or take four. */
export function bitsOf(value: bigint): number {
  const near = Math.abs(Number(value));
  if (near === 0) return 0;
  return Number.isFinite(near) ? Math.floor(Math.log2(near)) + 1 : value.toString(16).length * 4;
}

/** Whether operations on it take noticeably longer. */
export function isLong(value: Value): value is Fraction {
  if (typeof value === "number") return false;
  return value.numerator > mostDenominator || value.numerator < leastShort;
}

export function isNegative(value: Value): boolean {
  return typeof value === "number" ? value < 0 : value.numerator < 0n;
}

/** Whether it is exactly this integer. */
export function is(value: Value | undefined, expected: bigint): boolean {
  return typeof value === "object" && value.numerator === expected && value.denominator === 1n;
}

export function isZero(value: Value): boolean {
  return value === 0 || is(value, 0n);
}

export function isInteger(value: Value): value is Fraction {
  return typeof value === "object" && value.denominator === 1n;
}

const mostDigits = Math.floor(mostBits * Math.log10(2));

export function tooLarge(reason: string = `an integer may have ${mostDigits} digits`): ToolError {
  return new ToolError("too-large", `The result is too large: ${reason}`, {
    hint: "Use logarithms, or take remainders of intermediate results.",
  });
}

export function undefinedResult(message: string, hint = "Use values for which it is defined."): ToolError {
  return new ToolError("invalid-input", message, { hint });
}

export function add(one: Value, other: Value): Value {
  if (isInteger(one) && isInteger(other)) return integer(one.numerator + other.numerator);
  if (typeof one === "object" && typeof other === "object")
    return quotient(
      one.numerator * other.denominator + other.numerator * one.denominator,
      one.denominator * other.denominator,
    );
  const [left, right] = [toNumber(one), toNumber(other)];
  const sum = approximate(left + right);
  // Two approximations that cancel leave only their rounding errors.
  return Math.abs(sum) <= Math.max(Math.abs(left), Math.abs(right)) * 2 ** -50 ? 0 : sum;
}

export function negate(value: Value): Value {
  return typeof value === "number" ? -value : { ...value, numerator: -value.numerator };
}

export function subtract(one: Value, other: Value): Value {
  return add(one, negate(other));
}

export function multiply(one: Value, other: Value): Value {
  if (isInteger(one) && isInteger(other)) return integer(one.numerator * other.numerator);
  if (typeof one === "object" && typeof other === "object")
    return quotient(one.numerator * other.numerator, one.denominator * other.denominator);
  return approximate(toNumber(one) * toNumber(other));
}

export function divide(one: Value, other: Value): Value {
  if (typeof one === "object" && typeof other === "object")
    return quotient(one.numerator * other.denominator, one.denominator * other.numerator);
  if (isZero(other)) throw undefinedResult("Division by zero");
  return approximate(toNumber(one) / toNumber(other));
}

/** `%` has the sign of the dividend, as in C, JavaScript and Rust. */
export function remainder(one: Value, other: Value): Value {
  if (isZero(other)) throw undefinedResult("Division by zero");
  if (typeof one === "number" || typeof other === "number") return toNumber(one) % toNumber(other);
  return quotient(
    (one.numerator * other.denominator) % (other.numerator * one.denominator),
    one.denominator * other.denominator,
  );
}

/** `mod` has the sign of the divisor, as in mathematics and Python. */
export function modulo(one: Value, other: Value): Value {
  const left = remainder(one, other);
  return isZero(left) || isNegative(left) === isNegative(other) ? left : add(left, other);
}

/** Negative, zero or positive, for sorting. */
export function compare(one: Value, other: Value): number {
  if (typeof one === "number" || typeof other === "number") return toNumber(one) - toNumber(other);
  const difference = one.numerator * other.denominator - other.numerator * one.denominator;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
