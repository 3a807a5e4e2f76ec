import { expect, it } from "vitest";
import { type CacheBlock, PrefixCache } from "./prefix-cache.ts";

/** A block of 1,000 tokens. */
const block = (name: string, isMarked = false): CacheBlock => ({ text: name.padEnd(4_000, "."), isMarked });
const blocks = (count: number, marks: readonly number[]) =>
  Array.from({ length: count }, (_, index) => block(`${index}`, marks.includes(index)));

it("reads the longest beginning that an earlier request had, in whole steps", () => {
  const cache = new PrefixCache({ leastTokens: 1_024, stepTokens: 128 });
  const counts = [[block("a")], [block("a"), block("b")], [block("a"), block("b"), block("c")], [block("x")]];
  expect(counts.map((each) => cache.count(each).cached)).toEqual([0, 0, 1_920, 0]);
});

it("reads with marks what an earlier request has marked", () => {
  const cache = new PrefixCache({ leastTokens: 1_024, lookback: 20 });
  expect([cache.count(blocks(5, [4])), cache.count(blocks(8, [7])), cache.count(blocks(8, []))]).toEqual([
    { input: 5_000, cached: 0, cacheWritten: 5_000 },
    { input: 8_000, cached: 5_000, cacheWritten: 3_000 },
    { input: 8_000, cached: 0, cacheWritten: 0 },
  ]);
});

it("finds nothing that ends 20 blocks before a mark", () => {
  const cache = new PrefixCache({ leastTokens: 1_024, lookback: 20 });
  cache.count(blocks(5, [4]));
  expect([cache.count(blocks(24, [23])).cached, cache.count(blocks(45, [44])).cached]).toEqual([5_000, 0]);
});

it("does not store what is too short or has changed", () => {
  const cache = new PrefixCache({ leastTokens: 4_096, lookback: 20 });
  cache.count(blocks(4, [3]));
  cache.count([block("changed"), ...blocks(9, [8])]);
  expect(cache.count(blocks(12, [11])).cached).toBe(0);
});
