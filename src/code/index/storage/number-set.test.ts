import { expect, it } from "vitest";
import { NumberSet } from "./number-set.ts";

it("lists numbers in the order in which they were added, and one that is soon added again where it was", () => {
  const numbers = new NumberSet();
  for (const number of [70_000, 3, 3, 500, 0]) numbers.add(number);
  numbers.delete(70_000);
  numbers.delete(1);
  expect([[...numbers], numbers.size, numbers.has(70_000)]).toEqual([[3, 500, 0], 3, false]);
  numbers.add(70_000);
  numbers.add(8);
  expect([[...numbers], numbers.size]).toEqual([[70_000, 3, 500, 0, 8], 5]);
  numbers.clear();
  expect([[...numbers], numbers.size, numbers.has(3)]).toEqual([[], 0, false]);
});

it("lists the other numbers while some are removed and added", () => {
  const numbers = new NumberSet();
  for (let number = 0; number < 100; number += 1) numbers.add(number);
  const seen: number[] = [];
  for (const number of numbers) {
    seen.push(number);
    numbers.delete(number);
    numbers.delete(number + 1);
    if (number === 0) numbers.add(100);
  }
  expect([seen, numbers.size]).toEqual([Array.from({ length: 51 }, (_, at) => 2 * at), 0]);
});

it("forgets the positions of removed numbers when most are removed", () => {
  const numbers = new NumberSet();
  for (let number = 0; number < 300; number += 1) numbers.add(number);
  for (let number = 1; number < 299; number += 1) numbers.delete(number);
  expect([...numbers]).toEqual([0, 299]);
  numbers.add(150);
  numbers.add(3);
  expect([[...numbers], numbers.size]).toEqual([[0, 299, 150, 3], 4]);
});
