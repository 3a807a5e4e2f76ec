import { add, compare, divide, modulo, multiply } from "./arithmetic.ts";
import { choose, factorial } from "./factorial.ts";
import { greatestDivisor } from "./greatest-divisor.ts";
import { logarithm, naturalLogarithm } from "./logarithm.ts";
import { power, root } from "./power.ts";
import { ceilingOf, floorOf, rounded, truncationOf } from "./rounding.ts";
import { cosine, real, sine, tangent } from "./trigonometry.ts";
import {
  approximate,
  bitsOf,
  integer,
  isNegative,
  isZero,
  notZero,
  toNumber,
  tooLarge,
  undefinedResult,
  type Value,
} from "./value.ts";

/** What can be called, and with how many arguments. */
export interface CalculatorFunction {
  readonly least: number;
  readonly most: number;
  readonly run: (values: readonly Value[]) => Value;
}

const fromMinusOne = "from -1 to 1";

/** By their names in lower case. Made when first asked for: most expressions name none. */
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
      throw tooLarge(`${name} takes integers of ${mostDigitsDivided} digits`);
    return value;
  });
}

/** Euclid takes as many steps as there are digits, each as long as they are. */
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
