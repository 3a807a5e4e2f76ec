import { ToolError } from "../../../contract/error.ts";

/** A bigint or a fraction is exact; a number is an approximation with about fifteen digits. */
export type Value = bigint | Fraction | number;

export type Exact = bigint | Fraction;

/** A fraction in lowest terms, whose denominator is at least 2. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** About 39 000 digits. With more, a single product could take too long. */
export const mostBits: number = 2 ** 17;
/** A fraction with a longer denominator becomes an approximation. */
export const mostDenominatorBits = 4096;

const most = 1n << BigInt(mostBits);
const least = -most;
const mostDenominator = 1n << BigInt(mostDenominatorBits);
const leastDenominator = -mostDenominator;

/** Returns the integer, or throws if it is too large. */
export function integer(value: bigint): bigint {
  if (value > most || value < least) throw tooLarge();
  return value;
}

/** Returns the approximation, or throws if it overflows or is undefined. */
export function approximate(value: number): number {
  if (Number.isNaN(value)) throw undefinedResult("The result is not defined");
  if (!Number.isFinite(value)) throw tooLarge("an approximation cannot exceed 1.8e308");
  return value;
}

/** Like `approximate`, but also throws for zero, which can only mean lost digits. */
export function notZero(value: number): number {
  if (value === 0)
    throw new ToolError("too-large", "The result is too close to zero: an approximation ends at 5e-324", {
      hint: "Use logarithms, or larger units.",
    });
  return approximate(value);
}

/** Returns the quotient of two integers, exact unless its denominator is too long. */
export function quotient(numerator: bigint, denominator: bigint): Value {
  if (denominator === 0n) throw divisionByZero();
  const divisor = greatestDivisor(numerator, denominator, worthwhileDivisor(denominator));
  if (divisor === undefined) return toNumber({ numerator, denominator });
  const sign = denominator < 0n ? -divisor : divisor;
  const [above, below] = [integer(numerator / sign), denominator / sign];
  if (below === 1n) return above;
  const fraction = { numerator: above, denominator: below };
  return below > mostDenominator ? toNumber(fraction) : fraction;
}

/** Returns the smallest useful divisor. Finding a smaller one may take minutes and does not help. */
function worthwhileDivisor(denominator: bigint): bigint {
  if (denominator <= mostDenominator && denominator >= leastDenominator) return 0n;
  return (denominator < 0n ? -denominator : denominator) / mostDenominator;
}

export function numeratorOf(value: Exact): bigint {
  return typeof value === "bigint" ? value : value.numerator;
}

export function denominatorOf(value: Exact): bigint {
  return typeof value === "bigint" ? 1n : value.denominator;
}

const safe = BigInt(Number.MAX_SAFE_INTEGER);
const unsafe = -safe;

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  const { mantissa, exponent } = scaled(value);
  return exponent === 0 ? mantissa : notZero(scaleUp(mantissa, exponent));
}

/** Returns a value as mantissa × 2 ** exponent, for values out of the range of numbers. */
export function scaled(value: Exact): { readonly mantissa: number; readonly exponent: number } {
  const [numerator, denominator] = [numeratorOf(value), denominatorOf(value)];
  if (numerator <= safe && numerator >= unsafe && denominator <= safe)
    return { mantissa: Number(numerator) / Number(denominator), exponent: 0 };
  const shift = bitsOf(denominator) - bitsOf(numerator) + 64;
  const digits =
    shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift));
  return { mantissa: Number(digits), exponent: -shift };
}

/** Returns mantissa × 2 ** exponent, in two steps, because 2 ** exponent alone may overflow. */
export function scaleUp(mantissa: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return mantissa * 2 ** half * 2 ** (exponent - half);
}

/** Returns the number of bits of an integer, give or take four. */
export function bitsOf(value: bigint): number {
  const near = Math.abs(Number(value));
  if (near === 0) return 0;
  return Number.isFinite(near) ? Math.floor(Math.log2(near)) + 1 : value.toString(16).length * 4;
}

/** Returns whether operations on a value take noticeably longer. */
export function isLong(value: Exact): boolean {
  const digits = numeratorOf(value);
  return digits > mostDenominator || digits < leastDenominator;
}

export function isNegative(value: Value): boolean {
  return typeof value === "object" ? value.numerator < 0n : value < 0;
}

export function isZero(value: Value): boolean {
  return value === 0n || value === 0;
}

export function tooLarge(reason: string = `an integer may have at most ${mostDigits} digits`): ToolError {
  return new ToolError("too-large", `The numbers are too large: ${reason}`, {
    hint: "Use logarithms, or take remainders of intermediate results.",
  });
}

const mostDigits = Math.floor(mostBits * Math.log10(2));

export function divisionByZero(): ToolError {
  return undefinedResult("Division by zero");
}

export function undefinedResult(
  message: string,
  hint = "Use values for which the operation is defined.",
): ToolError {
  return new ToolError("invalid-input", message, { hint });
}

/**
 * Returns the greatest common divisor, or undefined as soon as it is known to be less than `least`. Long numbers use
 * Lehmer's method: their leading digits determine several steps of Euclid at once, which saves most divisions.
 */
export function greatestDivisor(one: bigint, other: bigint, least: bigint): bigint | undefined {
  let [larger, smaller] = [one < 0n ? -one : one, other < 0n ? -other : other];
  if (larger < smaller) [larger, smaller] = [smaller, larger];
  while (smaller > safe) {
    if (smaller < least) return undefined;
    [larger, smaller] = larger < long ? [smaller, larger % smaller] : severalSteps(larger, smaller);
  }
  if (smaller === 0n) return larger;
  let [left, right] = [Number(smaller), Number(larger % smaller)];
  while (right !== 0) [left, right] = [right, left % right];
  return BigInt(left);
}

const long = 1n << 512n;
/** The sum of two numbers of this size is exact. */
const knownBits = 50;

/** Takes steps of Euclid while they do not depend on the remaining digits. */
function severalSteps(larger: bigint, smaller: bigint): [bigint, bigint] {
  const shift = BigInt(larger.toString(16).length * 4 - knownBits);
  let [above, below] = [Number(larger >> shift), Number(smaller >> shift)];
  let [a, b, c, d] = [1, 0, 0, 1];
  while (below + c > 0 && below + d > 0) {
    const times = Math.floor((above + a) / (below + c));
    if (times !== Math.floor((above + b) / (below + d))) break;
    [a, b, c, d] = [c, d, a - times * c, b - times * d];
    [above, below] = [below, above - times * below];
  }
  if (b === 0) return [smaller, larger % smaller];
  return [BigInt(a) * larger + BigInt(b) * smaller, BigInt(c) * larger + BigInt(d) * smaller];
}

export function add(one: Value, other: Value): Value {
  if (typeof one === "bigint" && typeof other === "bigint") return integer(one + other);
  if (typeof one === "number" || typeof other === "number") return addNumbers(toNumber(one), toNumber(other));
  const [left, right] = [denominatorOf(one), denominatorOf(other)];
  return quotient(numeratorOf(one) * right + numeratorOf(other) * left, left * right);
}

/** Adds two approximations. If they cancel, the rest is only a rounding error and becomes 0. */
function addNumbers(one: number, other: number): number {
  const sum = approximate(one + other);
  return Math.abs(sum) <= Math.max(Math.abs(one), Math.abs(other)) * 2 ** -50 ? 0 : sum;
}

export function negate(value: Value): Value {
  return typeof value === "object" ? { ...value, numerator: -value.numerator } : -value;
}

export function subtract(one: Value, other: Value): Value {
  return add(one, negate(other));
}

export function multiply(one: Value, other: Value): Value {
  if (typeof one === "bigint" && typeof other === "bigint") return integer(one * other);
  if (typeof one === "number" || typeof other === "number") return multiplyNumbers(one, other);
  return quotient(numeratorOf(one) * numeratorOf(other), denominatorOf(one) * denominatorOf(other));
}

function multiplyNumbers(one: Value, other: Value): Value {
  // An exact zero times an approximation is exactly zero.
  if (one === 0n || other === 0n) return 0n;
  return one === 0 || other === 0 ? 0 : notZero(toNumber(one) * toNumber(other));
}

export function divide(one: Value, other: Value): Value {
  if (isZero(other)) throw divisionByZero();
  if (typeof one === "number" || typeof other === "number") {
    return isZero(one) ? one : notZero(toNumber(one) / toNumber(other));
  }
  return quotient(numeratorOf(one) * denominatorOf(other), denominatorOf(one) * numeratorOf(other));
}

/** Returns the remainder with the sign of the dividend, like `%` in C, JavaScript and Rust. */
export function remainder(one: Value, other: Value): Value {
  if (isZero(other)) throw divisionByZero();
  if (typeof one === "bigint" && typeof other === "bigint") return one % other;
  if (typeof one === "number" || typeof other === "number")
    return remainderOfNumbers(toNumber(one), toNumber(other));
  const [left, right] = [denominatorOf(one), denominatorOf(other)];
  return quotient((numeratorOf(one) * right) % (numeratorOf(other) * left), left * right);
}

/** Returns zero for a remainder as small as the rounding error of the dividend. */
function remainderOfNumbers(one: number, other: number): number {
  const unknown = Math.abs(one) * 2 ** -50;
  if (Math.abs(other) < 4 * unknown) throw tooLarge("no digit of the remainder is known");
  const left = one % other;
  return Math.abs(left) <= unknown || Math.abs(other) - Math.abs(left) <= unknown ? 0 : left;
}

/** Returns the remainder with the sign of the divisor, as in mathematics and Python. */
export function modulo(one: Value, other: Value): Value {
  const left = remainder(one, other);
  return isZero(left) || compare(left, 0n) < 0 === compare(other, 0n) < 0 ? left : add(left, other);
}

/** Returns a negative number, zero or a positive number, for sorting. */
export function compare(one: Value, other: Value): number {
  if (typeof one === "number" || typeof other === "number") return toNumber(subtract(one, other));
  const difference = numeratorOf(one) * denominatorOf(other) - numeratorOf(other) * denominatorOf(one);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Rounds towards zero. */
export function truncate(value: Exact): bigint {
  return typeof value === "bigint" ? value : value.numerator / value.denominator;
}

export function floor(value: Exact): bigint {
  const whole = truncate(value);
  return numeratorOf(value) < 0n && typeof value === "object" ? whole - 1n : whole;
}
