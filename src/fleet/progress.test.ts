import { expect, it } from "vitest";
import { estimateRemaining } from "./progress.ts";

const states = { waiting: 6, running: 3, parked: 1, ended: 4 };

it("divides what is left by the rate of the latest ends", () => {
  expect(estimateRemaining({ states }, [4_000, 3_000, 2_000, 1_000], 4_000)).toBe(10_000);
});

it("grows while nothing ends", () => {
  expect(estimateRemaining({ states }, [4_000, 3_000, 2_000, 1_000], 61_000)).toBe(200_000);
});

it("says nothing before three runs have ended, and 0 when none is left", () => {
  expect(estimateRemaining({ states }, [1_000, 2_000], 3_000)).toBe(null);
  expect(estimateRemaining({ states: { ...states, waiting: 0, running: 0, parked: 0 } }, [], 9)).toBe(0);
});
