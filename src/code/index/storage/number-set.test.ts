import { expect, it } from "vitest";
import { NumberSet } from "./number-set.ts";

it("lists numbers in the order in which they were added", () => {
  const numbers = new NumberSet();
  for (const number of [70_000, 3, 3, 500, 0]) numbers.add(number);
  numbers.delete(70_000);
  numbers.delete(1);
  expect([[...numbers], numbers.size, numbers.has(70_000)]).toEqual([[3, 500, 0], 3, false]);
  numbers.add(8);
  expect([[...numbers], numbers.size]).toEqual([[3, 500, 0, 8], 4]);
  numbers.clear();
  expect([[...numbers], numbers.size, numbers.has(3)]).toEqual([[], 0, false]);
  numbers.add(70_000);
  expect([...numbers]).toEqual([70_000]);
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
  numbers.add(300);
  expect([[...numbers], numbers.size]).toEqual([[0, 299, 300], 3]);
});
