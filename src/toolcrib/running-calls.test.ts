import { afterEach, expect, it, vi } from "vitest";
import { RunningCalls } from "./running-calls.ts";

afterEach(() => void vi.useRealTimers());

it("waits for all that was told to end, also what that leaves behind", async () => {
  const running = new RunningCalls();
  const ended: string[] = [];
  const { signal } = running.enter(new AbortController().signal);
  const call = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())).then(() => {
    ended.push("call");
    running.add(Promise.resolve().then(() => void ended.push("rest")));
  });
  running.add(call);
  await running.end();
  expect([ended, running.haveEnded]).toEqual([["call", "rest"], true]);
});

it("does not wait for ever for what never ends", async () => {
  vi.useFakeTimers();
  const running = new RunningCalls();
  running.add(new Promise(() => {}));
  const end = running.end();
  await vi.runAllTimersAsync();
  expect(await end).toBe(undefined);
});
