import { expect, it } from "vitest";
import { momentOf } from "./log.ts";

const seconds = (text: string) => `@${Math.floor(Date.parse(text) / 1000)}`;

it("treats a day without a time as the whole day", () => {
  expect([momentOf("2026-03-01", "since"), momentOf("2026/03/01", "until")]).toEqual([
    seconds("2026-03-01T00:00:00"),
    seconds("2026-03-01T23:59:59"),
  ]);
});

it("keeps times in their zone", () => {
  const texts = ["2026-03-01T10:00:00Z", "2026-03-01 10:00 +0200", "2026-03-01 10:00", "0001-01-01"];
  expect(texts.map((text) => momentOf(text, "until"))).toEqual([
    seconds("2026-03-01T10:00:00Z"),
    seconds("2026-03-01T08:00:00Z"),
    seconds("2026-03-01T10:00:00"),
    "@100000000",
  ]);
});

it("passes on dates that git understands, in a form that it does not ignore", () => {
  const texts = [
    "1700000000",
    "2.weeks.ago",
    "a week ago",
    "Last Monday",
    "today",
    "yesterday 5pm",
    "March 3rd, 2026",
  ];
  expect(texts.map((text) => momentOf(text, "since"))).toEqual([
    "1700000000",
    "2 weeks ago",
    "1 week ago",
    "last monday",
    "midnight",
    "yesterday 5pm",
    "march 3rd 2026",
  ]);
});

it("refuses dates that git would misread", () => {
  const texts = [
    ...["garbage", "2026-13-45", "2026-02-30", "2026-03-01T99:00", "2026-03", "2026", "3", "", "--all"],
    ...[
      "last weeek",
      "2 wekes ago",
      "1.5 hours ago",
      "2 hrs ago",
      "10 min ago",
      "1 quarter ago",
      "constructor",
    ],
  ];
  const codes = texts.map((text) => {
    try {
      return momentOf(text, "since");
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
  expect(codes).toEqual(texts.map(() => "invalid-input"));
});
