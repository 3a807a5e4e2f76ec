import { bitsOf, type Fraction, type Value } from "./value.ts";

export interface ShownValue {
  /** The value in decimal, as program text: "0.3", "-4", "1.5e+300". */
  readonly value: string;
  /** Whether nothing was rounded, neither in the calculation nor for display. */
  readonly isExact: boolean;
  /** The exact value, when no decimal can express it: "1/3". */
  readonly fraction: string | undefined;
}

/** The number of shown digits of an infinite fraction and of an approximation. */
export const shownDigits = { fraction: 20, approximation: 15 } as const;

export function showValue(value: Value): ShownValue {
  if (typeof value === "bigint") return { value: value.toString(), isExact: true, fraction: undefined };
  if (typeof value === "number") {
    const digits = Number(value.toPrecision(shownDigits.approximation));
    return { value: String(digits === 0 ? 0 : digits), isExact: false, fraction: undefined };
  }
  const decimal = wholeDecimal(value);
  if (decimal !== undefined) return { value: decimal, isExact: true, fraction: undefined };
  const rounded = roundedDecimal(value, shownDigits.fraction);
  if (rounded.isExact) return { value: rounded.text, isExact: true, fraction: undefined };
  return { value: rounded.text, isExact: false, fraction: `${value.numerator}/${value.denominator}` };
}

const mostPlaces = 100;

/** Returns all digits of a fraction, if there are not too many. */
function wholeDecimal({ numerator, denominator }: Fraction): string | undefined {
  const places = Math.max(timesIn(denominator, 2n), timesIn(denominator, 5n));
  const scale = 10n ** BigInt(places);
  if (places > mostPlaces || scale % denominator !== 0n) return undefined;
  return withPoint(numerator * (scale / denominator), places);
}

/** Counts how often a prime divides a number, up to a bound. */
function timesIn(value: bigint, prime: bigint): number {
  let times = 0;
  for (let left = value; left % prime === 0n && times <= mostPlaces; left /= prime) times += 1;
  return times;
}

function withPoint(digits: bigint, places: number): string {
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  return `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** Rounds to this many significant digits, halves away from zero. */
function roundedDecimal(
  { numerator, denominator }: Fraction,
  count: number,
): { text: string; isExact: boolean } {
  const isNegative = numerator < 0n;
  const above = isNegative ? -numerator : numerator;
  const places = count - exponentOf({ numerator: above, denominator }) - 1;
  const { digits, isExact } = scaledRound(above, denominator, places);
  // Rounding 99… up to 100… adds a digit.
  const exponent = digits.length - 1 - places;
  return { text: `${isNegative ? "-" : ""}${spelled(digits, exponent)}`, isExact };
}

/** Returns the exponent of the first significant digit: 0 for 5.2, -2 for 0.052. */
function exponentOf(value: Fraction): number {
  const near = Math.floor((bitsOf(value.numerator) - bitsOf(value.denominator)) * Math.log10(2));
  for (let exponent = near + 3; ; exponent -= 1) if (isAtLeast(value, exponent)) return exponent;
}

function isAtLeast({ numerator, denominator }: Fraction, exponent: number): boolean {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent >= 0 ? numerator >= denominator * power : numerator * power >= denominator;
}

function scaledRound(above: bigint, below: bigint, places: number): { digits: string; isExact: boolean } {
  const power = 10n ** BigInt(Math.abs(places));
  const [dividend, divisor] = places >= 0 ? [above * power, below] : [above, below * power];
  const digits = ((2n * dividend + divisor) / (2n * divisor)).toString();
  return { digits, isExact: dividend % divisor === 0n };
}

/** Writes digits as JavaScript does, with an exponent instead of many zeros. */
function spelled(digits: string, exponent: number): string {
  const trimmed = digits.replace(/0+$/, "");
  if (exponent < -7 || exponent > 20) {
    const rest = trimmed.slice(1);
    return `${trimmed[0]}${rest && `.${rest}`}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
  }
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${trimmed}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const rest = digits.slice(exponent + 1).replace(/0+$/, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}
