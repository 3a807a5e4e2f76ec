/** Calls `act` with each number from 1 to `count`, two at a time, and returns the results in order. */
export async function inLanes<Result>(
  count: number,
  act: (number: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 1;
  const lane = async () => {
    while (next <= count) {
      const number = next;
      next += 1;
      results[number - 1] = await act(number);
    }
  };
  await Promise.all([lane(), lane()]);
  return results;
}
