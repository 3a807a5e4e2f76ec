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
  if (typeof one === "number" || typeof other === "number") return toNumber(one) % toNumber(other);
  const [left, right] = [denominatorOf(one), denominatorOf(other)];
  return quotient((numeratorOf(one) * right) % (numeratorOf(other) * left), left * right);
}

/** What `mod` leaves has the sign of the divisor, as in mathematics and Python. */
export function modulo(one: Value, other: Value): Value {
  const left = remainder(one, other);
  return isZero(left) || compare(left, 0n) < 0 === compare(other, 0n) < 0 ? left : add(left, other);
}

/** Below, at or above zero as the one is less than, equal to or more than the other. */
export function compare(one: Value, other: Value): number {
  const difference = subtract(one, other);
  return Number(typeof difference === "object" ? difference.numerator : difference);
}

/** Towards zero. */
export function truncate(value: Exact): bigint {
  return typeof value === "bigint" ? value : value.numerator / value.denominator;
}

export function floor(value: Exact): bigint {
  const whole = truncate(value);
  return numeratorOf(value) < 0n && typeof value === "object" ? whole - 1n : whole;
}
