import fc from "fast-check";
import { expect, it } from "vitest";
import { greatestDivisor } from "./value.ts";

function byEuclid(one: bigint, other: bigint): bigint {
  return other === 0n ? (one < 0n ? -one : one) : byEuclid(other, one % other);
}

const size = fc.integer({ min: 0, max: 3000 });
const long = size.chain((bits) => fc.bigInt({ min: -(1n << BigInt(bits)), max: 1n << BigInt(bits) }));

it("equals the result of Euclid's algorithm", { tags: "slow" }, () => {
  fc.assert(
    fc.property(long, long, long, (one, other, common) => {
      const [left, right] = [one * common, other * common];
      expect(greatestDivisor(left, right, 0n)).toBe(byEuclid(left, right));
    }),
    { numRuns: 300 },
  );
});

it("is found for Fibonacci numbers, which need the most steps", () => {
  let [one, other] = [1n, 1n];
  for (let step = 0; step < 3000; step += 1) [one, other] = [one + other, one];
  expect(greatestDivisor(one * 6n, other * 6n, 0n)).toBe(6n);
});

it("is undefined when it is below the given minimum", () => {
  fc.assert(
    fc.property(long, long, long, (one, other, least) => {
      const found = greatestDivisor(one, other, least);
      const divisor = byEuclid(one, other);
      expect(found === undefined ? divisor < least : found === divisor).toBe(true);
    }),
    { numRuns: 300 },
  );
});
