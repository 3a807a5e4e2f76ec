import { describe, expect, it } from "vitest";
import { TextFinder } from "./text-finder.ts";

describe("TextFinder", () => {
  it("finds the same as Buffer.includes", () => {
    const parts = ["RedisErr", "Redis", "or", "Error", "R", "Re", "é", "", " "];
    const texts = parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => one + two + three)));
    const sought = [
      "RedisError",
      "isError",
      "or",
      "Errors",
      "éRedisErrorRe",
      "orRedis é",
      "  R",
      "R",
      "é",
      "",
    ];
    for (const each of sought) {
      const finder = new TextFinder(each);
      expect(texts.filter((text) => finder.isIn(Buffer.from(text)))).toEqual(
        texts.filter((text) => text.includes(each)),
      );
    }
  });

  it("finds a text after many beginnings of it, and at both ends", () => {
    const almost = "configureProviden ".repeat(150);
    const finder = new TextFinder("configureProvider");
    const texts = [
      almost,
      `${almost}configureProvider`,
      `configureProvider ${almost}`,
      "Provider",
      "configureProvide",
    ];
    expect(texts.map((text) => finder.isIn(Buffer.from(text)))).toEqual([false, true, true, false, false]);
  });

  it("finds a text that overlaps the end of an occurrence of its piece", () => {
    expect(new TextFinder("aaXaaXaaXb").isIn(Buffer.from("aaXaaXaaXaaXb"))).toBe(true);
  });
});
