import { expect, it } from "vitest";
import { kindOfPattern, showNumber } from "./show-number.ts";

it("recognizes dates, times and percentages by their patterns", () => {
  const kinds = {
    General: "plain",
    "0.00": "plain",
    "0.00E+00": "plain",
    '#,##0 "days"': "plain",
    "[Red]-0.5": "plain",
    "0%": "percent",
    "yyyy-mm-dd": "date",
    mmm: "date",
    "[$-407]d. mmmm yyyy;@": "date",
    "h:mm": "time",
    "mm:ss": "time",
    "h:mm AM/PM": "time",
    "d/m/yy h:mm": "date-time",
    "[h]:mm:ss": "duration",
    "[mm]:ss": "duration",
  };
  expect(Object.fromEntries(Object.keys(kinds).map((pattern) => [pattern, kindOfPattern(pattern)]))).toEqual(
    kinds,
  );
});

it("ignores overlong patterns", () => {
  expect([kindOfPattern(`${"[".repeat(1_000_000)}yyyy`), kindOfPattern(`${"m 0.".repeat(300_000)}`)]).toEqual(
    ["plain", "date"],
  );
});

it("formats numbers by their pattern", () => {
  const shown = [
    showNumber("0.30000000000000004", "plain", false),
    showNumber("12345678901234567890", "plain", false),
    showNumber("0.07", "percent", false),
    showNumber("1", "date", false),
    showNumber("59", "date", false),
    showNumber("60", "date", false),
    showNumber("61", "date", false),
    showNumber("0", "date", true),
    showNumber("46341.5", "date", false),
    showNumber("46341", "date-time", false),
    showNumber("0.5", "time", false),
    showNumber("1.25", "time", false),
    showNumber("-0.5", "duration", false),
    showNumber("-1", "date", false),
    showNumber("1e300", "date", false),
    showNumber("no number", "date", false),
  ];
  expect(shown).toEqual([
    "0.3",
    "12345678901234567890",
    "7%",
    "1900-01-01",
    "1900-02-28",
    "1900-02-29",
    "1900-03-01",
    "00:00:00",
    "2026-11-15T12:00:00",
    "2026-11-15T00:00:00",
    "12:00:00",
    "30:00:00",
    "-12:00:00",
    "-1",
    "1e300",
    "no number",
  ]);
});
