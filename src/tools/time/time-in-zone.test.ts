import { expect, it } from "vitest";
import { timeInZone } from "./now.ts";

it.each([
  [
    "the last moment before daylight saving",
    Date.UTC(2026, 2, 29, 0, 59, 59, 999),
    "Europe/Berlin",
    "2026-03-29T01:59:59.999+01:00",
  ],
  [
    "the first moment of daylight saving",
    Date.UTC(2026, 2, 29, 1),
    "Europe/Berlin",
    "2026-03-29T03:00:00.000+02:00",
  ],
  [
    "the repeated hour, first time",
    Date.UTC(2026, 9, 25, 0, 30),
    "Europe/Berlin",
    "2026-10-25T02:30:00.000+02:00",
  ],
  [
    "the repeated hour, second time",
    Date.UTC(2026, 9, 25, 1, 30),
    "Europe/Berlin",
    "2026-10-25T02:30:00.000+01:00",
  ],
  ["a half-hour offset", Date.UTC(2026, 0, 1), "Asia/Kolkata", "2026-01-01T05:30:00.000+05:30"],
  ["a quarter-hour offset", Date.UTC(2026, 0, 1), "Asia/Kathmandu", "2026-01-01T05:45:00.000+05:45"],
  [
    "a zone still in the year before",
    Date.UTC(2026, 0, 1),
    "America/St_Johns",
    "2025-12-31T20:30:00.000-03:30",
  ],
  [
    "daylight saving of half an hour",
    Date.UTC(2026, 0, 1),
    "Australia/Lord_Howe",
    "2026-01-01T11:00:00.000+11:00",
  ],
  ["an offset", Date.UTC(2026, 0, 1), "-02:30", "2025-12-31T21:30:00.000-02:30"],
  ["a zone in lower case", 0, "america/new_york", "1969-12-31T19:00:00.000-05:00"],
  ["before 1970", -1, "UTC", "1969-12-31T23:59:59.999+00:00"],
  ["mean solar time", Date.UTC(1850, 0, 1), "Europe/Berlin", "1850-01-01T00:53:28.000+00:53:28"],
  ["midnight", Date.UTC(2024, 1, 29), "UTC", "2024-02-29T00:00:00.000+00:00"],
])("is correct: %s", (_, instant, zone, iso) => {
  expect(timeInZone(instant, zone).iso).toBe(iso);
});

it("returns the zone as given, and its weekday", () => {
  expect(timeInZone(Date.UTC(2026, 10, 15, 22), "Asia/Kolkata")).toEqual({
    iso: "2026-11-16T03:30:00.000+05:30",
    zone: "Asia/Kolkata",
    weekday: "Monday",
    unixSeconds: 1794780000,
  });
  expect(timeInZone(0, "europe/BERLIN").zone).toBe("Europe/Berlin");
});

it("detects the zone of this machine", () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(timeInZone(0, "local")).toEqual(timeInZone(0, timeZone));
});
