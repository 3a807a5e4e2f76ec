import { mostBits, tooLarge, undefinedResult, type Value } from "./value.ts";

export function factorial(value: Value): bigint {
  if (typeof value !== "bigint" || value < 0n)
    throw undefinedResult("A factorial needs an integer that is not negative");
  const count = Number(value);
  if (count * Math.log2(count / Math.E) > mostBits) throw tooLarge();
  return productOf(1, count);
}

/** In how many ways `taken` of `count` things can be chosen. */
export function choose(count: Value, taken: Value): bigint {
  if (typeof count !== "bigint" || typeof taken !== "bigint" || count < 0n || taken < 0n)
    throw undefinedResult("choose needs two integers that are not negative");
  if (taken > count) return 0n;
  const fewer = taken * 2n > count ? count - taken : taken;
  if (Number(fewer) * Math.log2(Number(count)) > mostBits) throw tooLarge();
  return productFrom(count - fewer + 1n, Number(fewer)) / productOf(1, Number(fewer));
}

function productOf(first: number, last: number): bigint {
  return productFrom(BigInt(first), last - first + 1);
}

/** Halves of like size, so that long numbers meet long ones: many times quicker than one after the other. */
function productFrom(first: bigint, count: number): bigint {
  if (count <= 8) {
    let product = 1n;
    for (let step = 0; step < count; step += 1) product *= first + BigInt(step);
    return product;
  }
  const half = count >> 1;
  return productFrom(first, half) * productFrom(first + BigInt(half), count - half);
}
