import { divide, subtract } from "./arithmetic.ts";
import { power } from "./power.ts";
import {
  approximate,
  bitsOf,
  isNegative,
  isZero,
  mostBits,
  scaled,
  toNumber,
  undefinedResult,
  type Value,
} from "./value.ts";

export function naturalLogarithm(value: Value): Value {
  refuseUnfit(value);
  return value === 1n ? 0n : naturalNumber(value);
}

/** Exact where the value is a whole power of the base. */
export function logarithm(value: Value, base: Value): Value {
  refuseUnfit(value);
  refuseUnfit(base);
  if (base === 1n || base === 1) throw undefinedResult("1 cannot be the base of a logarithm");
  const near = withBase(value, base);
  return exactLogarithm(value, base, Math.round(near)) ?? approximate(near);
}

/** JavaScript knows two bases better than a quotient does. */
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

/** Near 1, where a number would lose the digits that count, by what it differs from 1. */
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
