import { bitsOf } from "./value.ts";

/** The integer whose power of `degree` is `value`, which is not negative; undefined when there is none. */
export function integerRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value <= 1n || degree === 1n) return value;
  const bits = bitsOf(value);
  // Then the root would lie between 1 and 2. To look for it in more bits would take seconds.
  if (degree >= BigInt(bits) + 4n || bits > mostBitsLookedAt) return undefined;
  const near = nearRoot(value, degree, bits);
  return near ** degree === value ? near : undefined;
}

const mostBitsLookedAt = 2 ** 14;

/** By Newton's method from above: each step gets nearer, until the first that does not. */
function nearRoot(value: bigint, degree: bigint, bits: number): bigint {
  let near = 1n << BigInt(Math.ceil((bits + 4) / Number(degree)));
  for (;;) {
    const next = ((degree - 1n) * near + value / near ** (degree - 1n)) / degree;
    if (next >= near) return near;
    near = next;
  }
}
