import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { comparisonPage } from "../bench/comparison/page.ts";
import type { Comparison } from "../bench/comparison/result.ts";

const docs = join(import.meta.dirname, "../docs");
const stored = JSON.parse(readFileSync(join(docs, "comparison.json"), "utf8")) as Comparison;

describe("the comparison page", () => {
  it("is written from the stored result", () => {
    expect(readFileSync(join(docs, "comparison.md"), "utf8")).toBe(comparisonPage(stored));
  });

  it("begins with every measure and task in which another server is better", () => {
    const result: Comparison = {
      ...stored,
      measures: [
        {
          name: "start",
          about: "",
          unit: "ms",
          better: "less",
          values: { Toolcrib: 300, other: 100, third: 200 },
        },
        { name: "reads", about: "", unit: "/s", better: "more", values: { Toolcrib: 10, other: 25 } },
        { name: "end", about: "", unit: "ms", better: "less", values: { Toolcrib: 105, other: 100 } },
        { name: "memory", about: "", unit: "MB", better: "less", values: { Toolcrib: 50, other: 100 } },
      ],
      checks: [
        {
          name: "mark",
          about: "",
          outcomes: { Toolcrib: { good: false, text: "lost" }, other: { good: true, text: "right" } },
        },
        { name: "undo", about: "", outcomes: { Toolcrib: { good: true, text: "restored" } } },
      ],
    };
    const [, first] = comparisonPage(result).split(/^## /m);
    expect(first?.split("\n").filter((line) => line !== "")).toEqual([
      "Where Toolcrib is worse",
      "- **start**: 300 ms; other (and 1 more) 100 ms, 3.00 × better.",
      "- **reads**: 10/s; other 25/s, 2.50 × better.",
      "- **mark**: lost; right in other.",
      "Differences below 10 % are not listed.",
    ]);
  });
});
