import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLongWords, stepLength } from "./long-words.ts";

const piece = fc.oneof(
  fc.constantFrom(" ", ".", "/", "-", "_", "\n", "é", "\u0141", "\u0130", "…", "😀", "("),
  fc.integer({ min: 1, max: 40 }).map((length) => "word-Of_20".repeat(4).slice(0, length)),
);
const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

describe("findLongWords", () => {
  it("finds every word of at least 20 characters, with the words that dots join to it", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(allWords(text)).toEqual(wordsByRegex(text));
      }),
    );
  });

  it("finds words on the border of two steps once", { tags: "slow" }, () => {
    const around = fc.integer({ min: stepLength - 60, max: stepLength + 10 });
    fc.assert(
      fc.property(around, texts, (before, text) => {
        const whole = `${" ".repeat(before)}${text} ${text}`;
        expect(allWords(whole)).toEqual(wordsByRegex(whole));
      }),
    );
  });

  it("finds a word that is longer than a step", () => {
    const text = `a ${"b".repeat(3 * stepLength)} ${"c".repeat(20)}`;
    expect(allWords(text)).toEqual(wordsByRegex(text));
  });
});

function allWords(text: string): readonly string[] {
  const found: string[] = [];
  let end = 0;
  for (let from = 0; from < text.length; from = Math.max(from + stepLength, end)) {
    for (const word of findLongWords(text, from)) {
      found.push(text.slice(word.start, word.end));
      end = word.end;
    }
  }
  return found;
}

function wordsByRegex(text: string): readonly string[] {
  return (text.match(/[\w.-]+/g) ?? []).filter((word) => /[\w-]{20}/.test(word));
}
