import { approximate, toNumber, tooLarge, undefinedResult, type Value } from "./value.ts";

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

export const sine: (value: Value) => Value = (value) =>
  value === 0n ? 0n : settled(Math.sin(angle(value)), angle(value));

export const cosine: (value: Value) => Value = (value) =>
  value === 0n ? 1n : settled(Math.cos(angle(value)), angle(value));

export const tangent: (value: Value) => Value = (value) => {
  if (value === 0n) return 0n;
  if (cosine(value) === 0) throw undefinedResult("The tangent is not defined there");
  return settled(Math.tan(angle(value)), angle(value));
};

/** In radians. Of a larger one no digit behind the point is known, and so nothing of its sine. */
function angle(value: Value): number {
  const radians = toNumber(value);
  if (Math.abs(radians) > 2 ** 48) throw tooLarge("the angle has no digits left behind the point");
  return radians;
}

/** What the rounding of the angle alone would make of zero is zero: sin(pi). */
function settled(result: number, radians: number): number {
  return Math.abs(result) <= Math.abs(radians) * 2 ** -52 ? 0 : result;
}
