import { expect, it } from "vitest";
import { parseTime } from "./clock.ts";

it("parses times with and without a time zone, and dates", () => {
  expect(
    ["2026-11-15T09:30:00Z", "2026-11-15 09:30:05 UTC", "2026-11-15T09:30+01:00"].map(parseTime),
  ).toEqual([Date.UTC(2026, 10, 15, 9, 30), Date.UTC(2026, 10, 15, 9, 30, 5), Date.UTC(2026, 10, 15, 8, 30)]);
  expect([parseTime("2026-11-15"), parseTime(" 2026-11-15 09:30 ")]).toEqual([
    new Date(2026, 10, 15).getTime(),
    new Date(2026, 10, 15, 9, 30).getTime(),
  ]);
});

it("rejects ambiguous times", () => {
  const others = [
    "",
    "5",
    "2",
    "call 5",
    "yesterday 3",
    "2026",
    "11/15",
    "2026-13-01",
    "2026-11-15 9",
    "2026-11-15 x 5",
  ];
  expect(others.map(parseTime)).toEqual(others.map(() => undefined));
});
