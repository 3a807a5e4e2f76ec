/**
 * How often a random test repeats its case: `count` times in `npm test` and `npm run test:all`, and ROUNDS times as often
 * in `npm run test:long`.
 */
export function rounds(count: number): number {
  return count * roundsFactor;
}

/** The value of ROUNDS. Default: 1. */
export const roundsFactor = Number(process.env.ROUNDS ?? 1);
