import { describe, expect, it } from "vitest";
import { likelyNameWords } from "./name-words.ts";
import { subjectWords } from "./query.ts";
import { termsOf } from "./terms.ts";

function likely(question: string): string[] {
  return likelyNameWords(subjectWords(termsOf(question))).map(({ term }) => term);
}

describe("likelyNameWords", () => {
  it("returns words that names have instead of the words of a question, most likely first", () => {
    expect(likely("removing").slice(0, 2)).toEqual(["clear", "delet"]);
    expect(likely("the number of them")[0]).toBe("count");
    expect(likely("wait")).toContain("timeout");
    expect(likely("whether")).toContain("is");
  });

  it("leaves out the words of the question", () => {
    expect(likely("remove or clear or delete")).not.toContain("clear");
  });

  it("counts a word more that two words suggest", () => {
    const probability = (words: readonly string[]) =>
      likelyNameWords(words).find(({ term }) => term === "timeout")!.probability;
    expect(probability(["wait", "millisecond"])).toBeGreaterThan(probability(["wait"]));
  });

  it("returns nothing for unknown words and names of built-in properties", () => {
    expect(likelyNameWords(["__proto__", "toString", "hasOwnProperty", "", "zzz"])).toEqual([]);
  });

  it("returns at most twelve words for a long question", () => {
    expect(likely("remove the number text start stop wait size check convert return equal").length).toBe(12);
  });
});
