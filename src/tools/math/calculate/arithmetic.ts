import {
  approximate,
  denominatorOf,
  divisionByZero,
  type Exact,
  integer,
  isZero,
  notZero,
  numeratorOf,
  quotient,
  toNumber,
  tooLarge,
  type Value,
} from "./value.ts";

export function add(one: Value, other: Value): Value {
  if (typeof one === "bigint" && typeof other === "bigint") return integer(one + other);
  if (typeof one === "number" || typeof other === "number") return addNumbers(toNumber(one), toNumber(other));
  const [left, right] = [denominatorOf(one), denominatorOf(other)];
  return quotient(numeratorOf(one) * right + numeratorOf(other) * left, left * right);
}

/** What is left of two approximations that cancel each other is nothing but their rounding. */
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
  // An exact zero takes all of an approximation with it.
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

/** What `%` leaves has the sign of the dividend, as in C, JavaScript and Rust. */
export function remainder(one: Value, other: Value): Value {
  if (isZero(other)) throw divisionByZero();
  if (typeof one === "bigint" && typeof other === "bigint") return one % other;
  if (typeof one === "number" || typeof other === "number")
    return remainderOfNumbers(toNumber(one), toNumber(other));
  const [left, right] = [denominatorOf(one), denominatorOf(other)];
  return quotient((numeratorOf(one) * right) % (numeratorOf(other) * left), left * right);
}

/** What the rounding of the dividend alone would make of zero is zero. */
function remainderOfNumbers(one: number, other: number): number {
  const unknown = Math.abs(one) * 2 ** -50;
  if (Math.abs(other) < 4 * unknown) throw tooLarge("of the remainder no digit is known");
  const left = one % other;
  return Math.abs(left) <= unknown || Math.abs(other) - Math.abs(left) <= unknown ? 0 : left;
}

/** What `mod` leaves has the sign of the divisor, as in mathematics and Python. */
export function modulo(one: Value, other: Value): Value {
  const left = remainder(one, other);
  return isZero(left) || compare(left, 0n) < 0 === compare(other, 0n) < 0 ? left : add(left, other);
}

/** Below, at or above zero as the one is less than, equal to or more than the other. */
export function compare(one: Value, other: Value): number {
  if (typeof one === "number" || typeof other === "number") return toNumber(subtract(one, other));
  const difference = numeratorOf(one) * denominatorOf(other) - numeratorOf(other) * denominatorOf(one);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Towards zero. */
export function truncate(value: Exact): bigint {
  return typeof value === "bigint" ? value : value.numerator / value.denominator;
}

export function floor(value: Exact): bigint {
  const whole = truncate(value);
  return numeratorOf(value) < 0n && typeof value === "object" ? whole - 1n : whole;
}
