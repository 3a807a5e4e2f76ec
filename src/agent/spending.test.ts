import { expect, it } from "vitest";
import type { TokenUsage } from "../models/model.ts";
import { noUsage, Spending } from "./spending.ts";

const million: TokenUsage = {
  input: 3_000_000,
  cached: 1_000_000,
  cacheWritten: 1_000_000,
  output: 1_000_000,
  reasoning: 5,
};
const prices = { input: 1, output: 10, cached: 0.1, cacheWritten: 2 };

it("adds up tokens and their cost", () => {
  const spending = new Spending();
  expect([spending.usage, spending.cost]).toEqual([noUsage, 0]);
  spending.add(million, { prices });
  expect(spending.cost).toBeCloseTo(13.1);
  const before = { usage: spending.usage, cost: spending.cost };
  spending.add(million, { prices: { input: 1, output: 1 } });
  const { usage, cost } = spending.since(before);
  expect(usage).toEqual(million);
  expect(cost).toBeCloseTo(4);
});

it("has no total cost once one price is unknown", () => {
  const spending = new Spending();
  spending.add(noUsage, {});
  expect(spending.cost).toBe(0);
  spending.add(million, { prices });
  const before = { usage: spending.usage, cost: spending.cost };
  spending.add(million, {});
  spending.add(million, { prices });
  expect([spending.cost, spending.since(before).cost]).toEqual([null, null]);
});

it("does not apply the surcharge for long requests to a sum", () => {
  const dear = { ...prices, over: { tokens: 200_000, input: 100, output: 100 } };
  const [one, sum] = [new Spending(), new Spending()];
  one.add(million, { prices: dear });
  sum.addSum(million, dear, "model");
  expect(one.cost).toBeGreaterThan(100);
  expect(sum.cost).toBeCloseTo(13.1);
});
