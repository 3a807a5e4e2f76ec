import { expect, it } from "vitest";
import { ModelError, modelErrorCodes } from "../models/model-error.ts";
import { formatDuration, retryWait } from "./retry.ts";

const limits = { retries: 5, retryWaitMs: 60_000 };
const busy = new ModelError("server", "Overloaded");

it("doubles the wait each time, with full jitter, up to the limit", () => {
  const most = [1, 2, 3, 4, 5].map((attempt) =>
    retryWait({ error: busy, attempt, limits: { ...limits, retryWaitMs: 10_000 }, random: () => 1 }),
  );
  expect(most).toEqual([1_000, 2_000, 4_000, 8_000, 10_000]);
  expect(retryWait({ error: busy, attempt: 3, limits, random: () => 0.5 })).toBe(2_000);
  expect(retryWait({ error: busy, attempt: 3, limits, random: () => 0 })).toBe(0);
});

it("waits at least as long as the provider asks", () => {
  const error = new ModelError("rate-limit", "Slow down", { retryAfterMs: 20_000 });
  expect(retryWait({ error, attempt: 1, limits, random: () => 0 })).toBe(20_000);
  expect(retryWait({ error, attempt: 4, limits, random: () => 1 })).toBe(21_000);
  const hasty = new ModelError("rate-limit", "Slow down", { retryAfterMs: 0 });
  expect(retryWait({ error: hasty, attempt: 3, limits, random: () => 1 })).toBe(4_000);
});

it("fails at once when the provider asks for a longer wait than allowed, and names the wait", () => {
  const error = new ModelError("rate-limit", "Slow down", { retryAfterMs: 3 * 86_400_000, status: 429 });
  expect(() => retryWait({ error, attempt: 1, limits })).toThrow(
    expect.objectContaining({
      code: "rate-limit",
      message: "Slow down (the provider asks to wait 3 days, longer than the limit of 60 seconds)",
      hint: "Try again in 3 days.",
      status: 429,
    }),
  );
});

it("fails after the allowed attempts, and names their number", () => {
  expect(() => retryWait({ error: busy, attempt: 6, limits })).toThrow("Overloaded (6 attempts)");
  expect(() => retryWait({ error: busy, attempt: 1, limits: { ...limits, retries: 0 } })).toThrow(busy);
});

it.each(modelErrorCodes)("retries %s only when it is temporary", (kind) => {
  const error = new ModelError(kind, "No");
  const passing = ["rate-limit", "server", "network", "cut", "timeout", "empty"];
  const act = () => retryWait({ error, attempt: 1, limits, random: () => 0 });
  if (passing.includes(kind)) expect(act()).toBe(0);
  else expect(act).toThrow(error);
});

it.each([
  [90_000_000, "25 hours"],
  [7_200_000, "2 hours"],
  [119_000, "119 seconds"],
  [120_000, "2 minutes"],
  [1_500, "1500 ms"],
  [0, "0 ms"],
])("formats %i milliseconds", (milliseconds, words) => {
  expect(formatDuration(milliseconds)).toBe(words);
});
