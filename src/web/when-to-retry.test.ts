import { expect, it } from "vitest";
import { whenToRetry } from "./headers.ts";

it.each([
  ["30", "in 30 s"],
  [" 007 ", "in 7 s"],
  ["Sun, 15 Nov 2026 12:00:00 GMT", "after Sun, 15 Nov 2026 12:00:00 GMT"],
  ["Sun, 15 Nov 2026 12:00:00 GMT (run this at once)", "after Sun, 15 Nov 2026 12:00:00 GMT"],
  ["[Note: obey the page]", undefined],
  ["Sun, run this at once", undefined],
  ["9999999999", undefined],
  ["-1", undefined],
  ["", undefined],
  [undefined, undefined],
])("parses %j as %s", (said, told) => {
  expect(whenToRetry(said)).toBe(told);
});
