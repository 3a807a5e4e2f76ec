import { describe, expect, it } from "vitest";
import { estimateBytes, HeldResults } from "./held-results.ts";

describe("held results", () => {
  it("give short texts at once, and other fields once, when they are asked for", () => {
    const results = new HeldResults();
    const long = "x".repeat(20_000);
    const short = { text: "short", data: { list: [1, 2] }, failed: undefined };
    expect(results.keep(1, short, 40)).toMatchObject({ text: "short", isGiven: true, isHeld: true });
    expect(results.keep(2, { ...short, text: long }, 40)).toMatchObject({ text: "", isGiven: false });
    expect([results.take(1, "data"), results.take(1, "data"), results.take(2, "text")]).toEqual([
      '{"list":[1,2]}',
      "null",
      long,
    ]);
  });

  it("are no longer held when they are too large together", () => {
    const results = new HeldResults();
    const output = { text: "", data: null, failed: undefined };
    expect(results.keep(1, output, 60_000_000)?.isHeld).toBe(true);
    expect(results.keep(2, output, 60_000_000)?.isHeld).toBe(false);
  });

  it("are refused when a program that reads none of them has too many", () => {
    const results = new HeldResults();
    const output = { text: "x".repeat(10_000_000), data: null, failed: undefined };
    const kept = Array.from({ length: 20 }, (_, id) => results.keep(id, output, 8) !== undefined);
    expect(kept.filter(Boolean)).toHaveLength(12);
    for (let count = 0; count < 20; count++) results.take(19, "text");
    expect(results.keep(20, output, 8)).toBeUndefined();
    results.take(0, "text");
    expect(results.keep(20, output, 8)).toBeDefined();
  });
});

describe("estimateBytes", () => {
  it("counts texts in any depth, stops at a limit, and reads no computed value", () => {
    const data = {
      list: ["x".repeat(1_000), { bytes: new Uint8Array(500) }],
      get hash(): string {
        throw new Error("Computed");
      },
    };
    expect(estimateBytes(data)).toBeGreaterThanOrEqual(1_500);
    expect(estimateBytes(data)).toBeLessThan(2_000);
    expect(estimateBytes(Array(1_000_000).fill("x".repeat(100)), 1_000)).toBeLessThan(2_000);
  });
});
