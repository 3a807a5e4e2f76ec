import type { ToolError } from "../../../contract/error.ts";
import { floor, multiply, negate, truncate } from "./arithmetic.ts";
import { power } from "./power.ts";
import {
  approximate,
  denominatorOf,
  type Exact,
  numeratorOf,
  quotient,
  toNumber,
  undefinedResult,
  type Value,
} from "./value.ts";

export const floorOf = (value: Value): Value => toInteger(value, floor);
export const ceilingOf = (value: Value): Value => toInteger(value, (exact) => -floor(negate(exact) as Exact));
export const truncationOf = (value: Value): Value => toInteger(value, truncate);

/** To so many digits after the point, before it where negative; a half goes away from zero, as in spreadsheets. */
export function rounded(value: Value, digits: Value = 0n): Value {
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

/** Of an approximation that may be an integer it cannot be told on which side of it the number lies. */
function toInteger(value: Value, convert: (value: Exact) => bigint): Value {
  const known = knownDigits(value);
  const whole = convert(known);
  return typeof value === "number" && typeof known === "bigint" ? Number(whole) : whole;
}

/** Of an approximation the fifteen digits that are known. */
function knownDigits(value: Value): Exact {
  if (typeof value !== "number") return value;
  const [digits = "0", exponent = "0"] = approximate(value).toExponential(14).split("e");
  return multiply(BigInt(digits.replace(".", "")), power(10n, BigInt(exponent) - 14n)) as Exact;
}
