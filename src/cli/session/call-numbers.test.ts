import { expect, it } from "vitest";
import { formatTime, formatUsage, grouped } from "./call-lines.ts";

it("formats numbers for users", () => {
  expect([0, 999, 1_000, 12_400, 1_234_567].map(grouped)).toEqual([
    "0",
    "999",
    "1 000",
    "12 400",
    "1 234 567",
  ]);
  expect([0, 40, 449, 9_940, 9_960, 21_400, 119_400, 125_000].map(formatTime)).toEqual([
    ...["0.1 s", "0.1 s", "0.4 s", "9.9 s", "10 s", "21 s", "119 s", "2 min 5 s"],
  ]);
});

it("reports the usage of a turn, and no cost when prices are unknown", () => {
  const usage = { input: 12_400, cached: 9_000, cacheWritten: 0, output: 800, reasoning: 0 };
  const tell = (cost: number | null) => formatUsage({ usage, cost, calls: 1 });
  expect([
    tell(null),
    ...[0, 0.00123, 0.04, 0.0949, 0.126, 12].map((cost) => tell(cost).split(", ")[2]),
  ]).toEqual([
    "12 400 tokens read (9 000 cached), 800 written, 1 call",
    "$0.00",
    "$0.0012",
    "$0.04",
    "$0.095",
    "$0.13",
    "$12.00",
  ]);
});
