import { expect, it } from "vitest";
import { counted, showSize } from "./format-quantity.ts";

it("adds an s for every count but one", () => {
  expect([0, 1, 2].map((count) => counted(count, "byte"))).toEqual(["0 bytes", "1 byte", "2 bytes"]);
});

it("shows sizes with two or three digits, in units of a thousand", () => {
  expect([0, 1, 999, 1000, 9950, 12_345, 999_400, 2_100_000_000, 5e15].map(showSize)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 kB",
    "9.9 kB",
    "12 kB",
    "999 kB",
    "2.1 GB",
    "5000 TB",
  ]);
});
