import type { ToolError } from "../../../contract/error.ts";
import {
  bitsOf,
  denominatorOf,
  divisionByZero,
  type Exact,
  integer,
  isNegative,
  isZero,
  mostBits,
  mostDenominatorBits,
  multiply,
  negate,
  notZero,
  numeratorOf,
  quotient,
  scaled,
  scaleUp,
  subtract,
  toNumber,
  tooLarge,
  truncate,
  undefinedResult,
  type Value,
} from "./value.ts";

/** Returns a power, exact when possible. 0 to the power of 0 is 1. */
export function power(base: Value, exponent: Value): Value {
  if (isZero(base) && isNegative(exponent)) throw divisionByZero();
  if (typeof exponent === "bigint") {
    return typeof base === "number" ? numberPower(base, Number(exponent)) : wholePower(base, exponent);
  }
  if (isNegative(base)) throw noRealPower();
  return exactRootPower(base, exponent) ?? brokenPower(base, exponent);
}

/** Computes the integer part of the exponent first, which loses no digit of an exact base. */
function brokenPower(base: Value, exponent: Exclude<Value, bigint>): Value {
  if (typeof base === "number" || typeof exponent === "number")
    return numberPower(toNumber(base), toNumber(exponent));
  const whole = truncate(exponent);
  const rest = toNumber(subtract(exponent, whole));
  return multiply(power(base, whole), numberPower(toNumber(base), rest));
}

function numberPower(base: number, exponent: number): number {
  return base === 0 ? base ** exponent : notZero(base ** exponent);
}

function wholePower(base: Exact, exponent: bigint): Value {
  if (exponent < 0n) return wholePower(inverse(base), -exponent);
  const [above, below] = [numeratorOf(base), denominatorOf(base)];
  if (below === 1n && above >= -1n && above <= 1n) return smallPower(above, exponent);
  // The estimate is a lower bound: 2 ** n has n + 1 bits.
  const bits = Math.max(bitsOf(above) - 1, 0) * Number(exponent);
  if (below === 1n) {
    if (bits > mostBits) throw tooLarge();
    return integer(above ** exponent);
  }
  const isShort = bits <= mostBits && (bitsOf(below) - 1) * Number(exponent) <= mostDenominatorBits;
  if (!isShort) return longPower(base, exponent);
  // The result is in lowest terms, because the base is.
  return { numerator: integer(above ** exponent), denominator: below ** exponent };
}

/** Inverts a value. Unlike `divide`, this always stays exact, because a power of the result may be short again. */
function inverse(base: Exact): Exact {
  const [above, below] = [numeratorOf(base), denominatorOf(base)];
  if (above === 1n || above === -1n) return above * below;
  return above < 0n ? { numerator: -below, denominator: -above } : { numerator: below, denominator: above };
}

function smallPower(base: bigint, exponent: bigint): bigint {
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  return exponent === 0n ? 1n : base;
}

/**
 * Returns the power of a fraction that has too many digits to be exact. Squaring with a long mantissa keeps digits that
 * a number would lose.
 */
function longPower(base: Exact, exponent: bigint): number {
  if (bitsOf(exponent) > 64) throw tooLarge("the exponent has too many digits");
  const precision = BigInt(128 + bitsOf(exponent));
  const [above, below] = [numeratorOf(base), denominatorOf(base)];
  const shift = precision + BigInt(Math.max(0, bitsOf(below) - bitsOf(above)));
  let factor = shorten({ digits: (above << shift) / below, shift: -shift });
  let result: Floating = { digits: 1n, shift: 0n };
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = product(result, factor);
    factor = product(factor, factor);
  }
  return notZero(scaleUp(Number(result.digits), clamp(result.shift)));

  function product(one: Floating, other: Floating): Floating {
    return shorten({ digits: one.digits * other.digits, shift: one.shift + other.shift });
  }
  function shorten({ digits, shift }: Floating): Floating {
    const surplus = BigInt(bitsOf(digits)) - precision;
    return surplus > 0n ? { digits: digits >> surplus, shift: shift + surplus } : { digits, shift };
  }
}

/** The number digits × 2 ** shift. */
interface Floating {
  readonly digits: bigint;
  readonly shift: bigint;
}

function clamp(shift: bigint): number {
  return Math.max(-5000, Math.min(5000, Number(shift)));
}

/** Handles powers like 8 ** (1/3), which is 2, and 4 ** 1.5, which is 8. */
function exactRootPower(base: Value, exponent: Value): Value | undefined {
  if (typeof base === "number" || typeof exponent === "number") return undefined;
  const root = exactRoot(base, denominatorOf(exponent));
  return root === undefined ? undefined : power(root, numeratorOf(exponent));
}

/** Returns the root of a non-negative value if it is exact. */
function exactRoot(value: Exact, degree: bigint): Exact | undefined {
  const above = integerRoot(numeratorOf(value), degree);
  const below = above === undefined ? undefined : integerRoot(denominatorOf(value), degree);
  return above === undefined || below === undefined ? undefined : (quotient(above, below) as Exact);
}

/** Returns the root of `value`. A negative value has a root only if the degree is odd. */
export function root(value: Value, degree: Value): Value {
  if (typeof degree !== "bigint" || degree <= 0n)
    throw undefinedResult("A root needs a positive integer as its degree");
  if (isNegative(value)) {
    if (degree % 2n === 0n) throw undefinedResult("A negative number has no even root among real numbers");
    return negate(root(negate(value), degree));
  }
  const exact = typeof value === "number" ? undefined : exactRoot(value, degree);
  return exact ?? approximateRoot(value, degree);
}

function approximateRoot(value: Value, degree: bigint): number {
  const { mantissa, exponent } = typeof value === "number" ? { mantissa: value, exponent: 0 } : scaled(value);
  const times = Number(degree);
  if (mantissa === 0) return 0;
  if (times > 512) return Math.exp((Math.log(mantissa) + exponent * Math.LN2) / times);
  const whole = Math.floor(exponent / times);
  return notZero(scaleUp(numberRoot(mantissa * 2 ** (exponent - whole * times), times), whole));
}

function numberRoot(value: number, degree: number): number {
  if (degree === 2) return Math.sqrt(value);
  return degree === 3 ? Math.cbrt(value) : value ** (1 / degree);
}

function noRealPower(): ToolError {
  return undefinedResult(
    "A negative number has no such power among real numbers",
    "For an odd root of a negative number write cbrt(x) or root(x, 5).",
  );
}

/** Returns the integer root of a non-negative value, or undefined when there is none. */
function integerRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value <= 1n || degree === 1n) return value;
  const bits = bitsOf(value);
  // With such a degree the root lies between 1 and 2, and with more bits the search would take seconds.
  if (degree >= BigInt(bits) + 4n || bits > mostBitsLookedAt) return undefined;
  const near = nearRoot(value, degree, bits);
  return near ** degree === value ? near : undefined;
}

const mostBitsLookedAt = 2 ** 14;

/** Approaches the root from above by Newton's method until a step does not get nearer. */
function nearRoot(value: bigint, degree: bigint, bits: number): bigint {
  let near = 1n << BigInt(Math.ceil((bits + 4) / Number(degree)));
  for (;;) {
    const next = ((degree - 1n) * near + value / near ** (degree - 1n)) / degree;
    if (next >= near) return near;
    near = next;
  }
}

export function factorial(value: Value): bigint {
  if (typeof value !== "bigint" || value < 0n)
    throw undefinedResult("A factorial needs an integer that is not negative");
  const count = Number(value);
  if (count * Math.log2(count / Math.E) > mostBits) throw tooLarge();
  return productOf(1, count);
}

/** Returns the binomial coefficient. */
export function choose(count: Value, taken: Value): bigint {
  if (typeof count !== "bigint" || typeof taken !== "bigint" || count < 0n || taken < 0n)
    throw undefinedResult("choose needs two integers that are not negative");
  if (taken > count) return 0n;
  const fewer = taken * 2n > count ? count - taken : taken;
  if (Number(fewer) * Math.log2(Number(count)) > mostBits) throw tooLarge();
  return productFrom(count - fewer + 1n, Number(fewer)) / productOf(1, Number(fewer));
}

function productOf(first: number, last: number): bigint {
  return productFrom(BigInt(first), last - first + 1);
}

/** Multiplies two halves of similar size, which is many times faster than multiplying one factor after the other. */
function productFrom(first: bigint, count: number): bigint {
  if (count <= 8) {
    let product = 1n;
    for (let step = 0; step < count; step += 1) product *= first + BigInt(step);
    return product;
  }
  const half = count >> 1;
  return productFrom(first, half) * productFrom(first + BigInt(half), count - half);
}
