import {
  approximate,
  denominatorOf,
  type Exact,
  numeratorOf,
  toNumber,
  tooLarge,
  undefinedResult,
  type Value,
} from "./value.ts";

/** A function of JavaScript's: an approximation, but where its value is known. NaN where it is not defined. */
export function real(
  compute: (value: number) => number,
  known: { readonly at: bigint; readonly is: bigint },
  domain?: string,
): (value: Value) => Value {
  return (value) => {
    if (value === known.at) return known.is;
    const result = compute(toNumber(value));
    if (Number.isNaN(result)) throw undefinedResult(`It is only defined ${domain}`);
    return approximate(result);
  };
}

export const sine: (value: Value) => Value = (value) => {
  if (value === 0n) return 0n;
  return typeof value === "number" ? settled(Math.sin(angle(value)), value) : sineOf(turned(value));
};

export const cosine: (value: Value) => Value = (value) => {
  if (value === 0n) return 1n;
  return typeof value === "number" ? settled(Math.cos(angle(value)), value) : cosineOf(turned(value));
};

export const tangent: (value: Value) => Value = (value) => {
  if (value === 0n) return 0n;
  if (typeof value !== "number") return sineOf(turned(value)) / cosineOf(turned(value));
  if (cosine(value) === 0) throw undefinedResult("The tangent is not defined there");
  return settled(Math.tan(angle(value)), value);
};

/** In radians. Of a larger one no digit behind the point is known, and so nothing of its sine. */
function angle(radians: number): number {
  if (Math.abs(radians) > 2 ** 48) throw tooLarge("the angle has no digits left behind the point");
  return radians;
}

/** What the rounding of the angle alone would make of zero is zero: sin(pi). */
function settled(result: number, radians: number): number {
  return Math.abs(result) <= Math.abs(radians) * 2 ** -52 ? 0 : result;
}

/** An exact angle as quarters of a turn and what is left, so that no digit of a long one is lost. */
function turned(value: Exact): Turned {
  const near = toNumber(value);
  const isKept = typeof value === "bigint" && Number.isSafeInteger(near);
  if (isKept || Math.abs(near) < 1) return { quarters: 0, rest: near };
  if (Math.abs(near) > mostRadians) throw tooLarge("an angle may have 40 digits before the point");
  const digits = (numeratorOf(value) * scale) / denominatorOf(value);
  const quarters = (2n * digits + (digits < 0n ? -quarterTurn : quarterTurn)) / (2n * quarterTurn);
  const rest = Number(digits - quarters * quarterTurn) / Number(scale);
  return { quarters: Number(((quarters % 4n) + 4n) % 4n), rest };
}

interface Turned {
  /** From 0 to 3. */
  readonly quarters: number;
  /** An angle that is short enough, or exact as a number. */
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
/** π / 2 × scale. */
const quarterTurn =
  15707963267948966192313216916397514420985846996875529104874722961539082031431044993140174126710585339n;
