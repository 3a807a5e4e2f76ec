import { expect, it } from "vitest";
import { PathIndex } from "./path-index.ts";

it("finds the rows of paths while others are added, replaced and removed", () => {
  const paths: string[] = [];
  const index = new PathIndex((row) => paths[row]!);
  const expected = new Map<string, number>();
  const path = (number: number) => `src/é${number % 7}/f${number}.ts`;
  for (let step = 0; step < 20_000; step += 1) {
    const number = (step * 7919) % 3001;
    if (step % 3 === 2) {
      index.delete(path(number));
      expected.delete(path(number));
    } else {
      expected.set(path(number), paths.length);
      index.set(path(number), paths.length);
      paths.push(path(number));
    }
  }
  expect(index.size).toBe(expected.size);
  const all = Array.from({ length: 3001 }, (_, number) => path(number));
  expect(all.map((each) => index.get(each))).toEqual(all.map((each) => expected.get(each)));
});
