/** Whether this is `npm run test:long`, which also runs what `npm test` leaves out. */
export const isLong = process.env.TOOLCRIB_TEST_LONG === "1";

/**
 * How often a test repeats one kind of case: `few` times in `npm test`, and `many` times in `npm run test:long`.
 * `few` still covers every kind.
 */
export function repetitions(few: number, many: number): number {
  return isLong ? many : few;
}
