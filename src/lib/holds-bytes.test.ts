import { expect, it } from "vitest";
import { holdsBytes } from "./holds-bytes.ts";

it("tells whether bytes stand in others, as Buffer.includes does", () => {
  const texts = ["", "a", "b", "ab", "aab", "aba", "abab", "ababb", "aabaaab", "abaabaaab"].map((text) =>
    Buffer.from(text),
  );
  for (const text of texts) {
    expect(texts.map((sought) => holdsBytes(text, sought))).toEqual(
      texts.map((sought) => text.includes(sought)),
    );
  }
});

it("finds out in one pass that what is almost everywhere is nowhere", () => {
  const lines = Buffer.from("x\n".repeat(4_000_000));
  const sought = Buffer.from(`${"x\n".repeat(100)}y\n${"x\n".repeat(1900)}`);
  expect(holdsBytes(lines, sought)).toBe(false);
});
