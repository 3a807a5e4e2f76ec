/**
 * Tries something with a time limit, and again with twice the limit until the result shows that the limit was long
 * enough: a busy machine may need longer to get that far. Returns the result and the limit it had.
 */
export async function withEnoughTime<Result>(
  firstMs: number,
  attempt: (limitMs: number) => Promise<Result>,
  wasEnough: (result: Result) => boolean,
): Promise<readonly [Result, number]> {
  for (let limitMs = firstMs; ; limitMs *= 2) {
    const result = await attempt(limitMs);
    if (wasEnough(result) || limitMs > 60_000) return [result, limitMs];
  }
}
