import { repetitions } from "../support/repetitions.ts";
/**
 * How often a property is tested: a quarter of it in `npm test`. FC_TIMES multiplies it, for longer runs with other seeds
 * (FC_SEED).
 */
export function runs(count: number): number {
  return repetitions(Math.ceil(count / 4), count) * Number(process.env.FC_TIMES ?? 1);
}
