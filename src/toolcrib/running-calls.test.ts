import { afterEach, expect, it, vi } from "vitest";
import { RunningCalls } from "./running-calls.ts";

afterEach(() => void vi.useRealTimers());

it("waits for all cancelled calls to end, and for the work they leave behind", async () => {
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

it("stops waiting for calls that never end", async () => {
  vi.useFakeTimers();
  const running = new RunningCalls();
  running.add(new Promise(() => {}));
  const end = running.end();
  await vi.runAllTimersAsync();
  expect(await end).toBe(undefined);
});
