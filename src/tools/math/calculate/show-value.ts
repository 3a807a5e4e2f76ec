import type { Fraction, Value } from "./value.ts";

export interface ShownValue {
  /** In decimal, as program text: "0.3", "-4", "1.5e+300". */
  readonly value: string;
  /** Nothing was rounded, neither in computing nor for display. */
  readonly isExact: boolean;
  /** The exact value where decimal digits cannot give it: "1/3". */
  readonly fraction: string | undefined;
}

/** Shown digits of an infinite fraction, and of an approximation. */
export const shownDigits = { fraction: 20, approximation: 15 } as const;

export function showValue(value: Value): ShownValue {
  if (typeof value === "number") {
    const digits = Number(value.toPrecision(shownDigits.approximation));
    return { value: String(digits === 0 ? 0 : digits), isExact: false, fraction: undefined };
  }
  const { numerator, denominator } = value;
  if (denominator === 1n) return { value: numerator.toString(), isExact: true, fraction: undefined };
  const sign = numerator < 0n ? "-" : "";
  const size = { numerator: numerator < 0n ? -numerator : numerator, denominator };
  const whole = finiteDecimal(size);
  if (whole !== undefined) return { value: sign + whole, isExact: true, fraction: undefined };
  return { value: sign + rounded(size), isExact: false, fraction: `${numerator}/${denominator}` };
}

const mostPlaces = 100;
const mostScale = 10n ** BigInt(mostPlaces);

/** All digits, if they end soon. */
function finiteDecimal({ numerator, denominator }: Fraction): string | undefined {
  if (mostScale % denominator !== 0n) return undefined;
  let [places, scale] = [1, 10n];
  for (; scale % denominator !== 0n; scale *= 10n) places += 1;
  const digits = ((numerator * scale) / denominator).toString().padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Rounds to twenty significant digits, and halves away from zero. */
function rounded({ numerator, denominator }: Fraction): string {
  const count = shownDigits.fraction;
  // The exponent of the first digit is this, or one less.
  let exponent = numerator.toString().length - denominator.toString().length;
  let digits = scaledDigits(exponent);
  if (digits.length < count) {
    exponent -= 1;
    digits = scaledDigits(exponent);
  }
  // One digit more where 99… was rounded up to 100….
  if (digits.length > count) exponent += 1;
  return withPoint(digits.replace(/0+$/, ""), exponent);

  function scaledDigits(first: number): string {
    const places = count - 1 - first;
    const scale = 10n ** BigInt(Math.abs(places));
    const [above, below] = places < 0 ? [numerator, denominator * scale] : [numerator * scale, denominator];
    return ((2n * above + below) / (2n * below)).toString();
  }
}

/** As JavaScript prints numbers: with an exponent instead of many zeros. */
function withPoint(digits: string, exponent: number): string {
  if (exponent < -7 || exponent > 20) {
    const rest = digits.slice(1);
    return `${digits[0]}${rest && `.${rest}`}e${exponent < 0 ? "" : "+"}${exponent}`;
  }
  const padded = exponent < 0 ? "0".repeat(-exponent) + digits : digits.padEnd(exponent + 1, "0");
  const point = Math.max(exponent, 0) + 1;
  const rest = padded.slice(point);
  return padded.slice(0, point) + (rest && `.${rest}`);
}
