import { expect, it } from "vitest";
import { layOut, showLayout } from "./layout.ts";
import type { Word } from "./words.ts";

const word = (text: string, left: number, baseline: number): Word => ({
  text,
  left,
  right: left + 10,
  baseline,
  height: 10,
  isTurned: false,
  startsLine: false,
  followsBlank: false,
});

const many = Array.from({ length: 150_000 }, (_, index) => index);

it("lays out more words than a function call takes arguments, side by side and stacked", {
  tags: "slow",
}, () => {
  const line = many.map((index) => word("a", index * 40, 0));
  const column = [word("first", 0, 0), ...many.map((index) => word("a", 100, index * 12))];
  expect([showLayout(layOut(line)), showLayout(layOut(column))]).toEqual([
    many.map(() => "a").join("   "),
    `first\n${many.map(() => "a").join("\n")}`,
  ]);
});

it("ends a table when rows with different columns would make it mostly empty", () => {
  const rows = many.slice(0, 3000).map((index) => word("a", index * 40, Math.floor(index / 3) * 12));
  expect(showLayout(layOut(rows)).length).toBeLessThan(500 * rows.length);
});
