import {
  add,
  approximate,
  bitsOf,
  compare,
  divide,
  type Fraction,
  greatestDivisor,
  integer,
  is,
  isInteger,
  isNegative,
  isZero,
  modulo,
  mostBits,
  mostDenominatorBits,
  multiply,
  negate,
  quotient,
  scaled,
  subtract,
  toNumber,
  tooLarge,
  undefinedResult,
  type Value,
} from "./value.ts";

interface CalculatorFunction {
  readonly least: number;
  readonly most: number;
  readonly run: (values: readonly Value[]) => Value;
}

const zero = integer(0n);
const unit = integer(1n);
const ten = integer(10n);

/** Functions by lower-case name. */
export const calculatorFunctions: Readonly<Record<string, CalculatorFunction>> = {
  sqrt: one((value) => root(value, integer(2n))),
  cbrt: one((value) => root(value, integer(3n))),
  root: two(root),
  pow: two(power),
  exp: one(real(Math.exp, { at: 0n, is: unit })),
  ln: one(naturalLogarithm),
  log: { least: 1, most: 2, run: ([value, base = ten]) => logarithm(value!, base) },
  log10: one((value) => logarithm(value, ten)),
  log2: one((value) => logarithm(value, integer(2n))),
  abs: one((value) => (isNegative(value) ? negate(value) : value)),
  sign: one((value) => (isZero(value) ? zero : isNegative(value) ? integer(-1n) : unit)),
  floor: one(floor),
  ceil: one((value) => negate(floor(negate(value)))),
  trunc: one((value) => (isNegative(value) ? negate(floor(negate(value))) : floor(value))),
  round: { least: 1, most: 2, run: ([value, digits = zero]) => round(value!, digits) },
  mod: two(modulo),
  gcd: several((values) => integer(integers("gcd", values).reduce(greatestDivisor, 0n))),
  lcm: several((values) => integer(integers("lcm", values).reduce(commonMultiple, 1n))),
  factorial: one(factorial),
  choose: two(choose),
  min: several((values) => values.reduce((least, value) => (compare(value, least) < 0 ? value : least))),
  max: several((values) => values.reduce((most, value) => (compare(value, most) > 0 ? value : most))),
  sum: several((values) => values.reduce(add)),
  mean: several(mean),
  avg: several(mean),
  median: several(median),
  hypot: several((values) => root(values.map((value) => multiply(value, value)).reduce(add), integer(2n))),
  sin: one(real(circular(Math.sin), { at: 0n, is: zero })),
  cos: one(real(circular(Math.cos), { at: 0n, is: unit })),
  tan: one(real(tangent, { at: 0n, is: zero }, "where the cosine is not 0")),
  asin: one(real(Math.asin, { at: 0n, is: zero }, "from -1 to 1")),
  acos: one(real(Math.acos, { at: 1n, is: zero }, "from -1 to 1")),
  atan: one(real(Math.atan, { at: 0n, is: zero })),
  atan2: two((height, width) => approximate(Math.atan2(toNumber(height), toNumber(width)))),
  sinh: one(real(Math.sinh, { at: 0n, is: zero })),
  cosh: one(real(Math.cosh, { at: 0n, is: unit })),
  tanh: one(real(Math.tanh, { at: 0n, is: zero })),
  asinh: one(real(Math.asinh, { at: 0n, is: zero })),
  acosh: one(real(Math.acosh, { at: 1n, is: zero }, "from 1 on")),
  atanh: one(real(Math.atanh, { at: 0n, is: zero }, "between -1 and 1")),
  deg: one((value) => multiply(value, 180 / Math.PI)),
  rad: one((value) => multiply(value, Math.PI / 180)),
};

function one(run: (value: Value) => Value): CalculatorFunction {
  return { least: 1, most: 1, run: ([value]) => run(value!) };
}

function two(run: (one: Value, other: Value) => Value): CalculatorFunction {
  return { least: 2, most: 2, run: ([first, second]) => run(first!, second!) };
}

function several(run: (values: readonly Value[]) => Value): CalculatorFunction {
  return { least: 1, most: Number.POSITIVE_INFINITY, run };
}

/** A function of JavaScript: exact at one known value, elsewhere an approximation, and refused outside its domain. */
function real(
  compute: (value: number) => number,
  known: { readonly at: bigint; readonly is: Value },
  domain?: string,
): (value: Value) => Value {
  return (value) => {
    if (is(value, known.at)) return known.is;
    const result = compute(toNumber(value));
    if (domain && !Number.isFinite(result)) throw undefinedResult(`It is only defined ${domain}`);
    return approximate(result);
  };
}

/** A result that is only the rounding error of the angle is zero: sin(pi). */
function circular(compute: (radians: number) => number): (radians: number) => number {
  return (radians) => {
    if (Math.abs(radians) > 2 ** 48) throw tooLarge("the angle has no digits after the point");
    const result = compute(radians);
    return Math.abs(result) <= Math.abs(radians) * 2 ** -52 ? 0 : result;
  };
}

function tangent(radians: number): number {
  return circular(Math.cos)(radians) === 0 ? Number.NaN : circular(Math.tan)(radians);
}

function integers(name: string, values: readonly Value[]): readonly bigint[] {
  return values.map((value) => {
    if (!isInteger(value)) throw undefinedResult(`${name} needs integers`);
    return value.numerator;
  });
}

function commonMultiple(one: bigint, other: bigint): bigint {
  if (one === 0n || other === 0n) return 0n;
  const multiple = (one / greatestDivisor(one, other)) * other;
  return integer(multiple < 0n ? -multiple : multiple).numerator;
}

function mean(values: readonly Value[]): Value {
  return divide(values.reduce(add), integer(BigInt(values.length)));
}

function median(values: readonly Value[]): Value {
  const sorted = [...values].sort(compare);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : mean(sorted.slice(middle - 1, middle + 1));
}

function floor(value: Value): Value {
  const { numerator, denominator } = toExact(value);
  const whole = numerator / denominator;
  return integer(whole * denominator > numerator ? whole - 1n : whole);
}

/** Rounds to `digits` after the point, before it where negative. Rounds halves away from zero, as spreadsheets do. */
function round(value: Value, digits: Value): Value {
  if (isNegative(value)) return negate(round(negate(value), digits));
  if (!isInteger(digits) || digits.numerator > 1000n || digits.numerator < -1000n)
    throw undefinedResult("round takes an integer from -1000 to 1000 as its number of digits");
  const scale = power(ten, digits);
  return divide(floor(add(multiply(toExact(value), scale), quotient(1n, 2n))), scale);
}

/** The fifteen known digits of an approximation. */
function toExact(value: Value): Fraction {
  if (typeof value === "object") return value;
  const [digits = "", exponent] = value.toExponential(14).split("e");
  return decimal(BigInt(digits.replace(".", "")), Number(exponent) - 14) as Fraction;
}

/** digits × 10 ** exponent. */
export function decimal(digits: bigint, exponent: number): Value {
  if (Math.abs(exponent) > mostBits / 3) throw tooLarge();
  const scale = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? quotient(digits, scale) : integer(digits * scale);
}

/** Exact where possible; 0 to the power of 0 is 1. */
export function power(base: Value, exponent: Value): Value {
  if (isZero(base) && isNegative(exponent)) throw undefinedResult("Division by zero");
  if (typeof base === "object" && isInteger(exponent)) return exactPower(base, exponent.numerator);
  if (isNegative(base) && !isInteger(exponent))
    throw undefinedResult(
      "This power of a negative number is not a real number",
      "Use cbrt(x) or root(x, n).",
    );
  if (typeof base === "object" && typeof exponent === "object") {
    // 8 ** (1/3) is 2, and 4 ** 1.5 is 8.
    const exact = exactRoot(base, exponent.denominator);
    if (exact !== undefined) return exactPower(exact, exponent.numerator);
  }
  return approximate(toNumber(base) ** toNumber(exponent));
}

function exactPower({ numerator, denominator }: Fraction, exponent: bigint): Value {
  if (exponent < 0n) {
    const sign = numerator < 0n ? -1n : 1n;
    return exactPower({ numerator: sign * denominator, denominator: sign * numerator }, -exponent);
  }
  if (denominator === 1n && numerator >= -1n && numerator <= 1n)
    return integer(exponent === 0n ? 1n : numerator ** (exponent % 2n || 2n));
  // Lower bounds: 2 ** n has n + 1 bits.
  const bits = (bitsOf(numerator) - 1) * Number(exponent);
  if (bits > mostBits && denominator === 1n) throw tooLarge();
  if (bits > mostBits || (bitsOf(denominator) - 1) * Number(exponent) > mostDenominatorBits)
    return longPower({ numerator, denominator }, exponent);
  return { ...integer(numerator ** exponent), denominator: denominator ** exponent };
}

/**
 * A power of a fraction with too many digits to keep, as in compound interest. `**` of numbers would lose as many
 * digits as the exponent has; repeated squaring with a long mantissa does not.
 */
function longPower({ numerator, denominator }: Fraction, exponent: bigint): number {
  if (bitsOf(exponent) > 64) throw tooLarge("the exponent has too many digits");
  const precision = 192;
  const shift = precision + Math.max(0, bitsOf(denominator) - bitsOf(numerator));
  let factor = shorten((numerator << BigInt(shift)) / denominator, -shift);
  let result = { digits: 1n, shift: 0 };
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = shorten(result.digits * factor.digits, result.shift + factor.shift);
    factor = shorten(factor.digits ** 2n, 2 * factor.shift);
  }
  return approximate((Number(result.digits) / 2 ** precision) * 2 ** (result.shift + precision));

  function shorten(digits: bigint, shift: number): typeof result {
    const surplus = Math.max(0, bitsOf(digits) - precision);
    return { digits: digits >> BigInt(surplus), shift: shift + surplus };
  }
}

function root(value: Value, degree: Value): Value {
  if (!isInteger(degree) || degree.numerator <= 0n)
    throw undefinedResult("A root needs a positive integer as its degree");
  if (isNegative(value)) {
    if (degree.numerator % 2n === 0n)
      throw undefinedResult("An even root of a negative number is not a real number");
    return negate(root(negate(value), degree));
  }
  const exact = typeof value === "number" ? undefined : exactRoot(value, degree.numerator);
  if (exact !== undefined) return exact;
  if (is(degree, 2n)) return Math.sqrt(toNumber(value));
  return is(degree, 3n) ? Math.cbrt(toNumber(value)) : toNumber(value) ** (1 / Number(degree.numerator));
}

/** The root of a non-negative value, if it is exact. */
function exactRoot(value: Fraction, degree: bigint): Fraction | undefined {
  const numerator = integerRoot(value.numerator, degree);
  const denominator = numerator === undefined ? undefined : integerRoot(value.denominator, degree);
  if (numerator === undefined || denominator === undefined) return undefined;
  return { numerator, denominator };
}

function integerRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value <= 1n || degree === 1n) return value;
  const bits = bitsOf(value);
  // The root would lie between 1 and 2. More bits would take too long.
  if (degree >= BigInt(bits) + 4n || bits > 2 ** 13) return undefined;
  // Newton's method from above: each step gets nearer, until the first that does not.
  let near = 1n << BigInt(Math.ceil((bits + 4) / Number(degree)));
  for (;;) {
    const next = ((degree - 1n) * near + value / near ** (degree - 1n)) / degree;
    if (next >= near) return near ** degree === value ? near : undefined;
    near = next;
  }
}

export function factorial(value: Value): Value {
  if (!isInteger(value) || isNegative(value))
    throw undefinedResult("A factorial needs a non-negative integer");
  const count = Number(value.numerator);
  if (count * Math.log2(count / Math.E) > mostBits) throw tooLarge();
  let product = 1n;
  for (let factor = 2; factor <= count; factor += 1) product *= BigInt(factor);
  return integer(product);
}

/** The binomial coefficient. */
function choose(count: Value, taken: Value): Value {
  if (!isInteger(count) || !isInteger(taken) || isNegative(count) || isNegative(taken))
    throw undefinedResult("choose needs two non-negative integers");
  const [all, rest] = [count.numerator, count.numerator - taken.numerator];
  if (rest < 0n) return zero;
  const fewer = rest < taken.numerator ? rest : taken.numerator;
  if (Number(fewer) * Math.log2(Number(all)) > mostBits) throw tooLarge();
  let result = 1n;
  for (let step = 1n; step <= fewer; step += 1n) result = (result * (all - fewer + step)) / step;
  return integer(result);
}

/** Exact where the value is an integer power of the base. */
function logarithm(value: Value, base: Value): Value {
  if (base === 1 || is(base, 1n)) throw undefinedResult("The base of a logarithm cannot be 1");
  const near = toNumber(divide(naturalLogarithm(value), naturalLogarithm(base)));
  const whole = Math.round(near);
  if (typeof value === "object" && isInteger(base) && bitsOf(base.numerator) * Math.abs(whole) <= mostBits) {
    const [target, size] = whole < 0 ? [divide(unit, value), -whole] : [value, whole];
    if (is(target, base.numerator ** BigInt(size))) return integer(BigInt(whole));
  }
  // These two are more precise than the quotient.
  if (is(base, 10n) && Math.abs(near) < 300) return Math.log10(toNumber(value));
  return is(base, 2n) && Math.abs(near) < 1000 ? Math.log2(toNumber(value)) : near;
}

function naturalLogarithm(value: Value): Value {
  if (isZero(value) || isNegative(value)) throw undefinedResult("A logarithm needs a positive number");
  if (is(value, 1n)) return zero;
  const { mantissa, exponent } = scaled(value);
  const near = Math.log(mantissa) + exponent * Math.LN2;
  // Near 1, the difference from 1 has the digits that matter.
  return Math.abs(near) < 0.5 ? Math.log1p(toNumber(subtract(value, unit))) : near;
}
