/**
 * The greatest common divisor; undefined as soon as it is known to be less than `least`. Long numbers as Lehmer does it: the
 * first digits of both tell several steps of Euclid at once, which costs a tenth of the divisions.
 */
export function greatestDivisor(one: bigint, other: bigint, least: bigint): bigint | undefined {
  let [larger, smaller] = [one < 0n ? -one : one, other < 0n ? -other : other];
  if (larger < smaller) [larger, smaller] = [smaller, larger];
  while (smaller > safe) {
    if (smaller < least) return undefined;
    [larger, smaller] = larger < long ? [smaller, larger % smaller] : severalSteps(larger, smaller);
  }
  if (smaller === 0n) return larger;
  let [left, right] = [Number(smaller), Number(larger % smaller)];
  while (right !== 0) [left, right] = [right, left % right];
  return BigInt(left);
}

const safe = BigInt(Number.MAX_SAFE_INTEGER);
const long = 1n << 512n;
/** So that sums of two of them are exact as numbers. */
const knownBits = 50;

/** Goes on as long as the digits behind those that are looked at, whatever they are, would make no difference. */
function severalSteps(larger: bigint, smaller: bigint): [bigint, bigint] {
  const shift = BigInt(larger.toString(16).length * 4 - knownBits);
  let [above, below] = [Number(larger >> shift), Number(smaller >> shift)];
  let [a, b, c, d] = [1, 0, 0, 1];
  while (below + c > 0 && below + d > 0) {
    const times = Math.floor((above + a) / (below + c));
    if (times !== Math.floor((above + b) / (below + d))) break;
    [a, b, c, d] = [c, d, a - times * c, b - times * d];
    [above, below] = [below, above - times * below];
  }
  if (b === 0) return [smaller, larger % smaller];
  return [BigInt(a) * larger + BigInt(b) * smaller, BigInt(c) * larger + BigInt(d) * smaller];
}
