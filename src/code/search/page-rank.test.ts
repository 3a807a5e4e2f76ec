import { expect, it } from "vitest";
import { pageRank } from "./central.ts";

it("ranks files with more references higher, and all ranks add up to one", () => {
  const ranks = pageRank(4, [
    { from: 0, to: 2, weight: 1 },
    { from: 1, to: 2, weight: 0.5 },
    { from: 1, to: 3, weight: 0.5 },
  ]);
  expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1);
  expect(Array.from(ranks.keys()).sort((one, other) => ranks[other]! - ranks[one]!)).toEqual([2, 3, 0, 1]);
});

it("ranks all files the same when there are no references", () => {
  expect(Array.from(pageRank(2, []))).toEqual([0.5, 0.5]);
});
