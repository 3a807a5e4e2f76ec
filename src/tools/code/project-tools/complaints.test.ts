import { expect, it } from "vitest";
import { complaintsAdded } from "./change-checked.ts";

it("finds new complaints", () => {
  const before = "src/a.rs:3:5: error: unknown name\nerror: could not compile due to 1 previous error\n";
  const after =
    "src/a.rs:3:5: error: unknown name\nsrc/a.rs:9:1: error: no such type\n" +
    "error: could not compile due to 2 previous errors\n";
  expect(complaintsAdded(before, after)).toEqual(["src/a.rs:9:1: error: no such type"]);
});

it("treats a complaint on another line as the same", () => {
  expect(complaintsAdded("a.ts(3,5): error TS2304: no x", "a.ts(13,7): error TS2304: no x")).toEqual([]);
  expect(complaintsAdded("  3 │ let x", " 14 │ let x")).toEqual([]);
});

it("counts a repeated complaint, and one with another number, as new", () => {
  expect(complaintsAdded("a.py:1: wrong", "a.py:1: wrong\na.py:2: wrong")).toEqual(["a.py:2: wrong"]);
  expect(complaintsAdded("a.ts(1,1): error TS1: x", "a.ts(1,1): error TS2: x")).toEqual([
    "a.ts(1,1): error TS2: x",
  ]);
});

it("accepts fewer complaints", () => {
  expect(complaintsAdded("a.py:1: one\na.py:2: two\nFound 2 errors.", "a.py:1: one\nFound 1 error.")).toEqual(
    [],
  );
});
