import { expect, it } from "vitest";
import { Links, pageRank } from "./central.ts";

it("ranks files with more references higher, and all ranks add up to one", () => {
  const links = new Links();
  links.push(0, 2, 1);
  links.push(1, 2, 0.5);
  links.push(1, 3, 0.5);
  const ranks = pageRank(4, links);
  expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1);
  expect(Array.from(ranks.keys()).sort((one, other) => ranks[other]! - ranks[one]!)).toEqual([2, 3, 0, 1]);
});

it("ranks all files the same when there are no references", () => {
  expect(Array.from(pageRank(2, new Links()))).toEqual([0.5, 0.5]);
});
