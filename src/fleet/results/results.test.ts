import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fleet, Run, RunOutcome } from "../fleet.ts";
import { compareRuns, comparisonsOf } from "./compare-runs.ts";
import { toPredictions } from "./export-swe-bench.ts";
import { describeComparison, formatDuration } from "./format-results.ts";
import { reportHtml } from "./report-html.ts";
import { mcNemar, median, pairedDifference, wilson } from "./statistics.ts";
import { summariseByModel } from "./summarise-runs.ts";

/** An ended run. */
function ended(
  task: string,
  model: string,
  outcome: RunOutcome,
  { cost = 0.1, ms = 60_000, text = "Done." } = {},
): Run {
  return {
    ...{
      id: `run_${task}`,
      fleet: "f",
      state: "ended",
      deliveries: 1,
      worker: null,
      machine: null,
      session: null,
    },
    ...{
      notBefore: 0,
      parkedSince: null,
      isCancelled: false,
      createdAt: 0,
      startedAt: 0,
      endedAt: ms,
      reason: "the check passed",
      outcome,
    },
    spec: {
      ...{
        fleet: "f",
        task,
        model,
        reasoning: null,
        prompt: "p",
        repository: null,
        revision: null,
        setup: null,
      },
      ...{ check: null, target: "local", mode: "cautious", rules: [], keepWorkspace: "never", publish: null },
      ...{ limits: { rounds: 1, minutes: 1, dollars: null }, data: {} },
    },
    result: {
      ...{
        text,
        rounds: 2,
        calls: 3,
        usage: { input: 10, cached: 0, cacheWritten: 0, output: 5, reasoning: 0 },
      },
      ...{
        cost,
        workMs: ms,
        patch: { files: 1, added: 2, removed: 0 },
        check: { exitCode: 0, output: "ok" },
      },
      ...{ artifacts: null, artifactNames: [], base: null },
    },
  };
}

const fleet: Fleet = {
  name: "f",
  settings: { budget: 5, lanes: {}, deliveries: 5, parkedHours: 24 },
  createdAt: 0,
  spent: 1.5,
};

describe("statistics", () => {
  it("match published values", () => {
    // Newcombe 1998, two-sided 95 %: 81 of 263 is 0.2553 to 0.3662, 0 of 20 is 0 to 0.1611.
    expect(
      [wilson(81, 263), wilson(0, 20)].map(({ low, high }) => [low.toFixed(4), high.toFixed(4)]),
    ).toEqual([
      ["0.2553", "0.3662"],
      ["0.0000", "0.1611"],
    ]);
    expect(mcNemar({ onlyFirst: 1, onlySecond: 9 })).toBeCloseTo(0.021_484, 6);
    expect([mcNemar({ onlyFirst: 0, onlySecond: 0 }), mcNemar({ onlyFirst: 3, onlySecond: 3 })]).toEqual([
      1, 1,
    ]);
    expect(mcNemar({ onlyFirst: 4000, onlySecond: 4300 })).toBeCloseTo(0.001, 3);
    expect([median([]), median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([null, 2, 2.5]);
  });

  const pairs = fc.record({
    both: fc.nat(40),
    onlyFirst: fc.nat(40),
    onlySecond: fc.nat(40),
    neither: fc.nat(40),
  });

  it("give a difference inside its interval, which turns round with the sides", () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const found = pairedDifference(given);
        const turned = pairedDifference({
          ...given,
          onlyFirst: given.onlySecond,
          onlySecond: given.onlyFirst,
        });
        if (found === undefined || turned === undefined) return expect(found).toBe(turned);
        expect(found.low).toBeLessThanOrEqual(found.difference + 1e-12);
        expect(found.high).toBeGreaterThanOrEqual(found.difference - 1e-12);
        expect(
          [-turned.high, -turned.low].map((value) =>
            value.toFixed(9) === "-0.000000000" ? "0.000000000" : value.toFixed(9),
          ),
        ).toEqual(
          [found.low, found.high].map((value) =>
            value.toFixed(9) === "-0.000000000" ? "0.000000000" : value.toFixed(9),
          ),
        );
      }),
    );
  });

  it("cover the true difference in about 95 % of samples", () => {
    let seed = 7;
    // A small generator with a fixed seed: the same samples in every run.
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 32;
    };
    let covered = 0;
    const samples = 2000;
    for (let sample = 0; sample < samples; sample += 1) {
      const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
      for (let task = 0; task < 40; task += 1) {
        const draw = random();
        counts[draw < 0.4 ? "both" : draw < 0.65 ? "onlyFirst" : draw < 0.75 ? "onlySecond" : "neither"] += 1;
      }
      const { low, high } = pairedDifference(counts)!;
      if (low <= 0.15 && high >= 0.15) covered += 1;
    }
    expect(covered / samples).toBeGreaterThan(0.93);
    expect(covered / samples).toBeLessThan(0.98);
  });
});

const runs = [
  ...Array.from({ length: 20 }, (_, index) =>
    ended(`t${index} a`, "x/a", index < 15 ? "solved" : "unsolved", { cost: 0.2 }),
  ),
  ...Array.from({ length: 20 }, (_, index) => ended(`t${index} b`, "y/b", index < 4 ? "solved" : "unsolved")),
  ended("t20 b", "y/b", "infrastructure"),
];

describe("a comparison", () => {
  it("pairs the tasks of two models, and leaves out what failed for other reasons", () => {
    const [found] = comparisonsOf({ name: "f", runs }, undefined, "y/b");
    expect(found).toMatchObject({
      ...{ tasks: 20, pairs: { both: 4, onlyFirst: 11, onlySecond: 0, neither: 5 } },
      ...{ first: { name: "x/a" }, second: { name: "y/b", summary: { runs: 21 } } },
    });
    expect(describeComparison(found!)).toEqual([
      "x/a solved 75 % (53–89 %) of its tasks, y/b 20 % (8–42 %).",
      expect.stringMatching(
        /^Over the 20 common tasks the difference is \+55\.0 points \(95 % interval \+2\d\.\d to \+7\d\.\d, p = < 0\.001\)\.$/,
      ),
      "Only x/a solved 11, only y/b 0; both solved 4, neither 5.",
      "x/a is better on these tasks.",
      "x/a costs 2.00 times as much as y/b.",
      "x/a takes 1.00 times as long as y/b.",
    ]);
  });

  it("pairs two fleets by task, and says when nothing is decided", () => {
    const of = (model: string, outcomes: RunOutcome[]) => ({
      name: model,
      runs: outcomes.map((outcome, index) => ended(`t${index}`, model, outcome)),
    });
    const close = compareRuns(
      of("one", ["solved", "unsolved", "solved"]),
      of("two", ["solved", "solved", "budget"]),
    );
    expect(close.pairs).toEqual({ both: 1, onlyFirst: 0, onlySecond: 1, neither: 0 });
    expect(describeComparison(close)).toContain("The tasks do not decide which one is better.");
    expect(describeComparison(compareRuns(of("one", ["budget"]), of("two", ["solved"])))).toEqual([
      "one and two have no decided task in common.",
    ]);
  });

  it("pairs a fleet without repetitions with the first repetition of another, also with several models", () => {
    const once = [ended("t1", "x/a", "solved"), ended("t2", "x/a", "unsolved")];
    const often = ["1", "2"].flatMap((number) => [
      ended(`t1 a ${number}`, "x/a", "unsolved"),
      ended(`t2 a ${number}`, "x/a", "unsolved"),
    ]);
    const pairs = { both: 0, onlyFirst: 1, onlySecond: 0, neither: 1 };
    expect(compareRuns({ name: "once", runs: once }, { name: "often", runs: often }).pairs).toEqual(pairs);
    const others = [ended("t1 b 1", "y/b", "solved"), ended("t3 b 1", "y/b", "solved")];
    const mixed = compareRuns({ name: "once", runs: once }, { name: "mixed", runs: [...often, ...others] });
    expect(mixed.pairs).toEqual(pairs);
  });

  it("refuses a name that is neither a fleet nor a model", () => {
    expect(() => comparisonsOf({ name: "f", runs }, undefined, "z")).toThrow("z is not a fleet");
  });
});

describe("the report", () => {
  it("counts per model, and has no scripts and no links", () => {
    const html = reportHtml(fleet, runs, comparisonsOf({ name: "f", runs }, undefined, "y/b"));
    expect(
      summariseByModel(runs).map(({ model, solved }) => [model, solved.successes, solved.total]),
    ).toEqual([
      ["x/a", 15, 20],
      ["y/b", 4, 20],
    ]);
    expect(html).toContain("15 solved, 5 unsolved");
    expect(html).toContain("x/a is better on these tasks.");
    expect(html).not.toMatch(/<script|<link|<a |https?:|url\(|@import/);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("escapes every text of specs, models and checks", () => {
    const evil = `"><script>alert(1)</script>'\u202e`;
    const run = ended(evil, evil, "solved", { text: evil });
    const hostile = {
      ...run,
      reason: evil,
      result: { ...run.result!, check: { exitCode: 1, output: evil }, branch: evil, artifacts: evil },
    };
    const html = reportHtml(
      { ...fleet, name: evil },
      [hostile],
      [compareRuns({ name: evil, runs: [hostile] }, { name: evil, runs: [hostile] })],
    );
    expect(html).not.toMatch(/<script|\u202e/);
    expect(html.match(/&lt;script&gt;/g)!.length).toBeGreaterThan(10);
  });

  it("is complete without any run", () => {
    expect(reportHtml(fleet, [])).toContain("0 of 0 ended");
  });
});

it("exports one SWE-bench file per model, without runs that failed for other reasons", async () => {
  const data = { instance_id: "django__django-1" };
  const of = (run: Run): Run => ({ ...run, spec: { ...run.spec, data } });
  const given = [
    of(ended("a m 1", "x/m", "solved")),
    of(ended("a n 1", "y/n", "budget")),
    of(ended("a n 2", "y/n", "infrastructure")),
  ];
  const files = await toPredictions(given, async ({ spec }) => `patch of ${spec.model}`);
  expect(files).toEqual([
    {
      suffix: "x-m-1",
      predictions: [
        { instance_id: data.instance_id, model_name_or_path: "x/m", model_patch: "patch of x/m" },
      ],
    },
    {
      suffix: "y-n-1",
      predictions: [
        { instance_id: data.instance_id, model_name_or_path: "y/n", model_patch: "patch of y/n" },
      ],
    },
  ]);
  expect((await toPredictions([ended("plain", "x/m", "unsolved")], async () => ""))[0]).toEqual({
    suffix: "",
    predictions: [{ instance_id: "plain", model_name_or_path: "x/m", model_patch: "" }],
  });
});

it.each([
  [4000, "4 s"],
  [100_000, "2 min"],
  [3_900_000, "1 h 05 min"],
  [null, "–"],
])("shows %s ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
