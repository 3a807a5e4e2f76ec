import fc from "fast-check";
import { expect, it } from "vitest";
import { changeBetween, changed } from "./sent-texts.ts";

it("finds the smallest change between two texts", () => {
  const long = "line\n".repeat(5000);
  expect([
    changeBetween("abc", "abc"),
    changeBetween("abcd", "abXd"),
    changeBetween("aaa", "aaaa"),
    changeBetween("", "new"),
    changeBetween(`${long}old${long}`, `${long}newer${long}`),
  ]).toEqual([
    { start: 3, oldEnd: 3, text: "" },
    { start: 2, oldEnd: 3, text: "X" },
    { start: 3, oldEnd: 3, text: "a" },
    { start: 0, oldEnd: 0, text: "new" },
    { start: 25_000, oldEnd: 25_003, text: "newer" },
  ]);
});

it("splits no surrogate pair", () => {
  expect([changeBetween("a😀b", "a😁b"), changeBetween("\u{1F600}", "\u{1FA00}")]).toEqual([
    { start: 1, oldEnd: 3, text: "😁" },
    { start: 0, oldEnd: 2, text: "\u{1FA00}" },
  ]);
});

it("turns every text into every other", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\ud83d", "\ude00"), maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(changed(before, changeBetween(before, after))).toBe(after);
    }),
  );
});
