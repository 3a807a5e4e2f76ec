import type { ToolError } from "../../../contract/error.ts";
import { choose, factorial, power, root } from "./power.ts";
import {
  add,
  approximate,
  bitsOf,
  compare,
  denominatorOf,
  divide,
  type Exact,
  floor,
  greatestDivisor,
  integer,
  isNegative,
  isZero,
  modulo,
  mostBits,
  multiply,
  negate,
  notZero,
  numeratorOf,
  quotient,
  scaled,
  subtract,
  toNumber,
  tooLarge,
  truncate,
  undefinedResult,
  type Value,
} from "./value.ts";

interface CalculatorFunction {
  readonly least: number;
  readonly most: number;
  readonly run: (values: readonly Value[]) => Value;
}

const fromMinusOne = "from -1 to 1";

/** Returns the functions by lower-case name. They are created on first use, because most expressions use none. */
export function calculatorFunctions(): Readonly<Record<string, CalculatorFunction>> {
  made ??= makeFunctions();
  return made;
}

let made: ReturnType<typeof calculatorFunctions> | undefined;

const makeFunctions = (): ReturnType<typeof calculatorFunctions> => ({
  sqrt: one((value) => root(value, 2n)),
  cbrt: one((value) => root(value, 3n)),
  root: two(root),
  pow: two(power),
  exp: one(real((value) => notZero(Math.exp(value)), { at: 0n, is: 1n })),
  ln: one(naturalLogarithm),
  log: { least: 1, most: 2, run: ([value, base]) => logarithm(value!, base ?? 10n) },
  log10: one((value) => logarithm(value, 10n)),
  log2: one((value) => logarithm(value, 2n)),
  abs: one((value) => (isNegative(value) ? multiply(-1n, value) : value)),
  sign: one((value) => (isZero(value) ? 0n : isNegative(value) ? -1n : 1n)),
  floor: one(floorOf),
  ceil: one(ceilingOf),
  trunc: one(truncationOf),
  round: { least: 1, most: 2, run: ([value, digits]) => rounded(value!, digits) },
  mod: two(modulo),
  gcd: several((values) => integers("gcd", values).reduce(commonDivisor, 0n)),
  lcm: several((values) => integers("lcm", values).reduce(commonMultiple, 1n)),
  factorial: one(factorial),
  choose: two(choose),
  min: several((values) => values.reduce((least, value) => (compare(value, least) < 0 ? value : least))),
  max: several((values) => values.reduce((most, value) => (compare(value, most) > 0 ? value : most))),
  sum: several(sum),
  mean: several(mean),
  avg: several(mean),
  median: several(median),
  hypot: several((values) => root(sum(values.map((value) => multiply(value, value))), 2n)),
  sin: one(sine),
  cos: one(cosine),
  tan: one(tangent),
  asin: one(real(Math.asin, { at: 0n, is: 0n }, fromMinusOne)),
  acos: one(real(Math.acos, { at: 1n, is: 0n }, fromMinusOne)),
  atan: one(real(Math.atan, { at: 0n, is: 0n })),
  atan2: two(arcTangent),
  sinh: one(real(Math.sinh, { at: 0n, is: 0n })),
  cosh: one(real(Math.cosh, { at: 0n, is: 1n })),
  tanh: one(real(Math.tanh, { at: 0n, is: 0n })),
  asinh: one(real(Math.asinh, { at: 0n, is: 0n })),
  acosh: one(real(Math.acosh, { at: 1n, is: 0n }, "from 1 on")),
  atanh: one(real(arcTangentH, { at: 0n, is: 0n }, "between -1 and 1")),
  deg: one((value) => multiply(value, 180 / Math.PI)),
  rad: one((value) => multiply(value, Math.PI / 180)),
});

function one(run: (value: Value) => Value): CalculatorFunction {
  return { least: 1, most: 1, run: ([value]) => run(value!) };
}

function two(run: (one: Value, other: Value) => Value): CalculatorFunction {
  return { least: 2, most: 2, run: ([first, second]) => run(first!, second!) };
}

function several(run: (values: readonly Value[]) => Value): CalculatorFunction {
  return { least: 1, most: Number.POSITIVE_INFINITY, run };
}

function integers(name: string, values: readonly Value[]): readonly bigint[] {
  return values.map((value) => {
    if (typeof value !== "bigint") throw undefinedResult(`${name} needs integers`);
    if (bitsOf(value) > mostBitsDivided)
      throw tooLarge(`${name} takes integers of at most ${mostDigitsDivided} digits`);
    return value;
  });
}

/** Euclid's algorithm takes as many steps as there are digits, and each step takes longer for longer numbers. */
const mostBitsDivided = 2 ** 14;
const mostDigitsDivided = 4900;

function commonDivisor(one: bigint, other: bigint): bigint {
  return greatestDivisor(one, other, 0n)!;
}

function commonMultiple(one: bigint, other: bigint): bigint {
  if (one === 0n || other === 0n) return 0n;
  const multiple = (one / commonDivisor(one, other)) * other;
  return integer(multiple < 0n ? -multiple : multiple);
}

function sum(values: readonly Value[]): Value {
  return values.reduce(add);
}

function mean(values: readonly Value[]): Value {
  return divide(sum(values), BigInt(values.length));
}

function median(values: readonly Value[]): Value {
  const sorted = [...values].sort(compare);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : divide(add(sorted[middle - 1]!, sorted[middle]!), 2n);
}

function arcTangent(height: Value, width: Value): Value {
  if (isZero(height) && isZero(width)) throw undefinedResult("atan2(0, 0) is not defined");
  if (height === 0n && !isNegative(width)) return 0n;
  return approximate(Math.atan2(toNumber(height), toNumber(width)));
}

function arcTangentH(value: number): number {
  return Math.abs(value) === 1 ? Number.NaN : Math.atanh(value);
}

const floorOf = (value: Value): Value => toInteger(value, floor);
const ceilingOf = (value: Value): Value => toInteger(value, (exact) => -floor(negate(exact) as Exact));
const truncationOf = (value: Value): Value => toInteger(value, truncate);

/**
 * Rounds to `digits` after the point, or before it if negative. Halves are rounded away from zero, as in spreadsheets.
 */
function rounded(value: Value, digits: Value = 0n): Value {
  if (typeof digits !== "bigint" || digits > mostPlaces || digits < -mostPlaces) throw noSuchPlace();
  const known = knownDigits(value);
  const [scale, unscale] = digits < 0n ? [1n, 10n ** -digits] : [10n ** digits, 1n];
  const twice = 2n * numeratorOf(known) * scale;
  const unit = denominatorOf(known) * unscale;
  const result = quotient(((twice < 0n ? twice - unit : twice + unit) / (2n * unit)) * unscale, scale);
  const isHalf = typeof value === "number" && twice % (2n * unit) === (twice < 0n ? -unit : unit);
  return isHalf ? toNumber(result) : result;
}

const mostPlaces = 1000n;

function noSuchPlace(): ToolError {
  return undefinedResult(
    `round takes an integer from ${-mostPlaces} to ${mostPlaces} as its number of digits`,
  );
}

/** Converts a value to an integer. The result of an approximation next to an integer stays an approximation. */
function toInteger(value: Value, convert: (value: Exact) => bigint): Value {
  const known = knownDigits(value);
  const whole = convert(known);
  return typeof value === "number" && typeof known === "bigint" ? Number(whole) : whole;
}

/** Returns the fifteen reliable digits of an approximation. */
function knownDigits(value: Value): Exact {
  if (typeof value !== "number") return value;
  const [digits = "0", exponent = "0"] = approximate(value).toExponential(14).split("e");
  return multiply(BigInt(digits.replace(".", "")), power(10n, BigInt(exponent) - 14n)) as Exact;
}

/** Wraps a JavaScript function, which approximates except at one point, and is NaN where undefined. */
function real(
  compute: (value: number) => number,
  known: { readonly at: bigint; readonly is: bigint },
  domain?: string,
): (value: Value) => Value {
  return (value) => {
    if (value === known.at) return known.is;
    const result = compute(toNumber(value));
    if (Number.isNaN(result)) throw undefinedResult(`This function is only defined ${domain}`);
    return approximate(result);
  };
}

const sine: (value: Value) => Value = (value) => {
  if (value === 0n) return 0n;
  return typeof value === "number" ? settled(Math.sin(angle(value)), value) : sineOf(turned(value));
};

const cosine: (value: Value) => Value = (value) => {
  if (value === 0n) return 1n;
  return typeof value === "number" ? settled(Math.cos(angle(value)), value) : cosineOf(turned(value));
};

const tangent: (value: Value) => Value = (value) => {
  if (value === 0n) return 0n;
  if (typeof value !== "number") return sineOf(turned(value)) / cosineOf(turned(value));
  if (cosine(value) === 0) throw undefinedResult("The tangent of this angle is not defined");
  return settled(Math.tan(angle(value)), value);
};

/** Returns an angle in radians. Refuses a larger angle, because its sine depends on digits that are not known. */
function angle(radians: number): number {
  if (Math.abs(radians) > 2 ** 48) throw tooLarge("the angle has no digits left after the point");
  return radians;
}

/** Returns zero for a result as small as the rounding error of the angle, such as sin(pi). */
function settled(result: number, radians: number): number {
  return Math.abs(result) <= Math.abs(radians) * 2 ** -52 ? 0 : result;
}

/** Splits an exact angle into quarter turns and a rest, so that a large angle loses no digits. */
function turned(value: Exact): Turned {
  const near = toNumber(value);
  const isPrecise = typeof value === "bigint" && Number.isSafeInteger(near);
  if (isPrecise || Math.abs(near) < 1) return { quarters: 0, rest: near };
  if (Math.abs(near) > mostRadians) throw tooLarge("an angle may have at most 40 digits before the point");
  const digits = (numeratorOf(value) * scale) / denominatorOf(value);
  const quarters = (2n * digits + (digits < 0n ? -quarterTurn : quarterTurn)) / (2n * quarterTurn);
  const rest = Number(digits - quarters * quarterTurn) / Number(scale);
  return { quarters: Number(((quarters % 4n) + 4n) % 4n), rest };
}

interface Turned {
  /** A number from 0 to 3. */
  readonly quarters: number;
  /** The rest of the angle in radians, small enough to be precise. */
  readonly rest: number;
}

function sineOf({ quarters, rest }: Turned): number {
  const size = quarters % 2 === 0 ? Math.sin(rest) : Math.cos(rest);
  return quarters < 2 ? size : -size;
}

function cosineOf({ quarters, rest }: Turned): number {
  return sineOf({ quarters: (quarters + 1) % 4, rest });
}

const mostRadians = 1e40;
const scale = 10n ** 100n;
/** The constant π / 2 × scale. */
const quarterTurn =
  15707963267948966192313216916397514420985846996875529104874722961539082031431044993140174126710585339n;

function naturalLogarithm(value: Value): Value {
  refuseUnfit(value);
  return value === 1n ? 0n : naturalNumber(value);
}

/** Returns a logarithm, which is exact when the value is an integer power of the base. */
function logarithm(value: Value, base: Value): Value {
  refuseUnfit(value);
  refuseUnfit(base);
  if (base === 1n || base === 1) throw undefinedResult("1 cannot be the base of a logarithm");
  const near = withBase(value, base);
  return exactLogarithm(value, base, Math.round(near)) ?? approximate(near);
}

/** Uses JavaScript's functions for the bases 2 and 10, which are more precise than a quotient. */
function withBase(value: Value, base: Value): number {
  if (base !== 2n && base !== 10n) return naturalNumber(value) / naturalNumber(base);
  const { mantissa, exponent } = asScaled(value);
  return base === 2n ? Math.log2(mantissa) + exponent : Math.log10(mantissa) + exponent * Math.log10(2);
}

function exactLogarithm(value: Value, base: Value, near: number): Value | undefined {
  if (typeof value === "number" || typeof base !== "bigint") return undefined;
  if (bitsOf(base) * Math.abs(near) > mostBits) return undefined;
  const exact = power(base, BigInt(Math.abs(near)));
  const wanted = near < 0 ? divide(1n, value) : value;
  return exact === wanted ? BigInt(near) : undefined;
}

/** Returns the natural logarithm. Near 1 it uses the difference to 1, which keeps more digits. */
function naturalNumber(value: Value): number {
  const { mantissa, exponent } = asScaled(value);
  if (typeof value !== "number" && Math.abs(Math.log2(mantissa) + exponent) < 0.5)
    return Math.log1p(toNumber(subtract(value, 1n)));
  return exponent === 0 ? Math.log(mantissa) : Math.log(mantissa) + exponent * Math.LN2;
}

function asScaled(value: Value): ReturnType<typeof scaled> {
  return typeof value === "number" ? { mantissa: value, exponent: 0 } : scaled(value);
}

function refuseUnfit(value: Value): void {
  if (isZero(value) || isNegative(value))
    throw undefinedResult("Only positive numbers have a logarithm among real numbers");
}
