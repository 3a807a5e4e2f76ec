import { describe, expect, it } from "vitest";
import { type Fleet, simulate } from "../bench/fleet/simulate.ts";

/** Small enough for a test, large enough that every part of it works. */
const busy: Partial<Fleet> = {
  ...{ runsPerDay: 20_000, hours: 1, workers: 4, slots: 8, tokensPerMinute: 20_000_000 },
  ...{ hoursToFailure: 0.3, rounds: 8 },
};

describe("the simulation of a fleet", () => {
  it("gives the same report for the same seed, and another for another", () => {
    expect(simulate(busy)).toEqual(simulate(busy));
    expect(simulate({ ...busy, seed: 2 })).not.toEqual(simulate(busy));
  });

  it.each([1, 2, 3, 4])("loses no run and invents none, also when workers die (seed %i)", (seed) => {
    const report = simulate({ ...busy, seed });
    expect(report.redelivered).toBeGreaterThan(0);
    expect(report.ended + report.running + report.waiting).toBe(report.submitted);
    expect(report.running).toBeLessThanOrEqual(4 * 8);
    expect(report.waiting).toBeGreaterThanOrEqual(0);
    for (const share of Object.values(report.use)) expect(share).toBeLessThanOrEqual(1.02);
  });

  it("ends everything when the runs are few and the time is long", () => {
    const { submitted, ended, running, waiting } = simulate({ runsPerDay: 100, hours: 48, workers: 8 });
    expect(submitted).toBeGreaterThan(120);
    expect(submitted - ended).toBe(running + waiting);
    expect(running + waiting).toBeLessThan(5);
  });

  const grows = (name: keyof Fleet, values: readonly number[], change: Partial<Fleet> = {}) =>
    values.map((value) => simulate({ ...busy, hoursToFailure: 1e6, ...change, [name]: value }));
  /** Runs overlap differently, so a few more or fewer may end at the horizon. */
  const isSorted = (numbers: readonly number[]) =>
    numbers.every((number, at) => at === 0 || number >= numbers[at - 1]! * 0.99);

  it.each([
    ["workers", [1, 2, 4, 8, 16]],
    ["slots", [1, 4, 16]],
    ["tokensPerMinute", [100_000, 1_000_000, 10_000_000]],
    ["concurrency", [2, 8, 32]],
  ] as const)("ends no fewer runs with more %s", (name, values) => {
    const ended = grows(name, values).map((report) => report.ended);
    expect(isSorted(ended)).toBe(true);
    expect(ended.at(-1)).toBeGreaterThan(ended[0]!);
  });

  it("ends no more runs when the database is slower, and then names it", () => {
    const reports = grows("requestMs", [1, 1_000, 10_000], {
      connections: 1,
      workers: 64,
      concurrency: 10_000,
    });
    expect(isSorted(reports.map(({ ended }) => -ended).map((number) => number + 1e6))).toBe(true);
    expect(reports.at(-1)).toMatchObject({ bottleneck: "database" });
  });

  it("delivers more often when workers die more often", () => {
    const redelivered = grows("hoursToFailure", [1e6, 2, 0.2]).map((report) => report.redelivered);
    expect(isSorted(redelivered)).toBe(true);
    expect(redelivered[0]).toBe(0);
  });

  it("spends exactly what its requests cost", () => {
    const { requests, dollars } = simulate({ ...busy, tokens: 10_000, price: 3 });
    expect(dollars).toBeCloseTo(requests * 0.03);
  });
});
