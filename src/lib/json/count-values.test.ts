import { expect, it } from "vitest";
import { countValues } from "./count-values.ts";

it("counts values outside of texts, and stops above a limit", () => {
  const counted = (value: unknown) => countValues(JSON.stringify(value), 1_000);
  expect([counted(1), counted("a,[b\\"), counted('"\\",["'), counted({ 'k",': ["\\\\", ',"'] })]).toEqual([
    1, 1, 1, 4,
  ]);
  expect(counted(Array(5_000).fill([]))).toBe(1_001);
  expect(countValues('"unfinished', 1_000)).toBe(1);
  expect(countValues(JSON.stringify("\\".repeat(1_000_000)), 1_000)).toBe(1);
});
