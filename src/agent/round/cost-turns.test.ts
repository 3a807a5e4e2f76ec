import { expect, it } from "vitest";
import { CostTurns } from "./cost-turns.ts";

const { signal } = new AbortController();

/** Whether a request may begin now. */
async function mayBegin(entered: Promise<() => void>): Promise<boolean> {
  return await Promise.race([
    entered.then(() => true),
    new Promise<false>((done) => setImmediate(done, false)),
  ]);
}

it("lets requests begin together while all of them stay below the limit", async () => {
  const turns = new CostTurns(10, () => 4);
  const two = [turns.enter(2, signal), turns.enter(2, signal)];
  expect(await Promise.all(two.map(mayBegin))).toEqual([true, true]);
  const third = turns.enter(2, signal);
  expect(await mayBegin(third)).toBe(false);
  (await two[0]!)();
  expect(await mayBegin(third)).toBe(true);
});

it("lets one request pass the limit, and makes a request of unknown cost wait for it", async () => {
  const turns = new CostTurns(10, () => 9.5);
  const first = turns.enter(5, signal);
  expect(await mayBegin(first)).toBe(true);
  const second = turns.enter(null, signal);
  expect(await mayBegin(second)).toBe(false);
  (await first)();
  expect(await mayBegin(second)).toBe(true);
});

it("never waits without a limit, and not after an abort", async () => {
  const free = new CostTurns(Number.POSITIVE_INFINITY, () => 0);
  expect(await Promise.all([free.enter(null, signal), free.enter(null, signal)].map(mayBegin))).toEqual([
    true,
    true,
  ]);
  const turns = new CostTurns(1, () => 0);
  await turns.enter(5, signal);
  const stopping = new AbortController();
  const waiting = turns.enter(5, stopping.signal);
  expect(await mayBegin(waiting)).toBe(false);
  stopping.abort();
  expect(await mayBegin(waiting)).toBe(true);
});
