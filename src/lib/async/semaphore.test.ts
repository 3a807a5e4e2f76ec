import { expect, it } from "vitest";
import { abortError } from "./abort.ts";
import { Semaphore } from "./semaphore.ts";

const { signal: always } = new AbortController();

it("lets users who wait take turns, each in order of arrival", async () => {
  const semaphore = new Semaphore(1);
  const order: string[] = [];
  const [busy, quiet] = [{}, {}];
  const run = async (user: object, name: string, signal = always) => {
    const release = await semaphore.take(signal, abortError, user);
    order.push(name);
    await Promise.resolve();
    release();
  };
  const cancelled = AbortSignal.timeout(0);
  const tasks = [run(busy, "a1"), run(busy, "a2"), run(busy, "a3"), run(quiet, "b1"), run(busy, "a4")];
  await Promise.all(tasks);
  expect(order).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  const held = await semaphore.take(always, abortError, busy);
  await expect(semaphore.take(cancelled, abortError, quiet)).rejects.toMatchObject({
    message: expect.any(String),
  });
  held();
  (await semaphore.take(always, abortError, quiet))();
});
