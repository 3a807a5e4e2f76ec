import { expect, it } from "vitest";
import { BoundedCache, boundedMemo } from "./bounded-cache.ts";

it("evicts the oldest entries, and counts a use as new", () => {
  const dropped: string[] = [];
  const cache = new BoundedCache<string, string>({ maxEntries: 2, dispose: (value) => dropped.push(value) });
  cache.set("a", "A");
  cache.set("b", "B");
  cache.use("a");
  cache.set("c", "C");
  expect([[...cache.entries()], dropped]).toEqual([
    [
      ["a", "A"],
      ["c", "C"],
    ],
    ["B"],
  ]);
});

it("does not store an entry that is heavier than the whole budget", () => {
  const cache = new BoundedCache<string, string>({ maxWeight: 5, weigh: ({ length }) => length });
  cache.set("large", "much too large");
  expect([cache.size, cache.get("large")]).toEqual([0, undefined]);
  cache.set("a", "fives");
  expect([...cache.values()]).toEqual(["fives"]);
});

it("keeps all values below a total weight, and always the newest if configured to", () => {
  const bounds = { maxWeight: 5, weigh: ({ length }: string) => length, keepsNewest: true };
  const cache = new BoundedCache<string, string>(bounds);
  for (const value of ["one", "to", "three"]) cache.set(value, value);
  expect([...cache.values()]).toEqual(["three"]);
  cache.set("large", "much too large");
  expect([...cache.values()]).toEqual(["much too large"]);
});

it("disposes of a replaced value, but not of the same value set again or a deleted one", () => {
  const dropped: string[] = [];
  const cache = new BoundedCache<string, string>({ dispose: (value) => dropped.push(value) });
  cache.set("a", "A");
  cache.set("a", "A");
  cache.set("a", "B");
  cache.delete("a");
  cache.set("a", "C");
  cache.clear();
  expect([dropped, cache.size]).toEqual([["A", "C"], 0]);
});

it("remembers results, including undefined, until there are too many", () => {
  const asked: string[] = [];
  const memo = boundedMemo(2, (name: string) => void asked.push(name));
  for (const name of ["a", "a", "b", "c", "c", "a"]) memo(name);
  expect(asked).toEqual(["a", "b", "c", "a"]);
});
