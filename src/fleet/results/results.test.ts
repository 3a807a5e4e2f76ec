import { describe, expect, it } from "vitest";
import type { Run, RunOutcome } from "../fleet.ts";
import { toPredictions } from "./export-swe-bench.ts";
import { formatDuration, formatPass, formatRate } from "./format-results.ts";
import { median, passAt, solvedRate, wilson } from "./statistics.ts";
import { summariseByModel, summariseRuns } from "./summarise-runs.ts";

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
      isSuperseded: false,
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

describe("statistics", () => {
  it("match Wilson intervals that were published", () => {
    // Newcombe 1998, two-sided 95 %: 81 of 263 is 0.2553 to 0.3662, 0 of 20 is 0 to 0.1611.
    const found = [wilson(81 / 263, 263), wilson(0, 20)];
    expect(found.map(({ low, high }) => [low.toFixed(4), high.toFixed(4)])).toEqual([
      ["0.2553", "0.3662"],
      ["0.0000", "0.1611"],
    ]);
    expect([median([]), median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([null, 2, 2.5]);
  });

  // Four tasks with three runs each, of which 3, 2, 0 and 1 were solved.
  const four = [3, 2, 0, 1].map((solved) => ({ solved, runs: 3 }));

  it("count repetitions of a task as one cluster", () => {
    // 6 of 12 solved: p = 0.5. Each task is expected to solve 1.5 runs, so the squares of the differences are
    // 1.5² + 0.5² + 1.5² + 0.5² = 5. The variance by tasks is 4/3 · 5 / 12² = 0.046296; that of independent runs is
    // 0.25 / 11 = 0.022727. The design effect is 0.046296 / 0.022727 = 2.037037, and 12 / 2.037037 = 5.890909 runs count.
    // Wilson with p = 0.5 and n = 5.890909, z² = 3.841459: the centre is 0.5; the spread is
    // 1.959964 · √(0.25 / n + 3.841459 / (4 · n²)) / (1 + 3.841459 / n) = 0.518974 / 1.652100 = 0.314130.
    expect(rounded(solvedRate(four))).toEqual({
      successes: 6,
      total: 12,
      effective: 5.89091,
      share: 0.5,
      low: 0.18587,
      high: 0.81413,
    });
  });

  it("estimate pass@k without bias, with the standard error between tasks", () => {
    // pass@1 of the tasks: 1, 2/3, 0, 1/3. Mean 0.5; squares of the differences 0.25 + 0.027778 + 0.25 + 0.027778
    // = 0.555556; error √(0.555556 / (4 · 3)) = 0.215166.
    // pass@2: 1 − C(0,2)/3 = 1, 1 − C(1,2)/3 = 1, 1 − C(3,2)/3 = 0, 1 − C(2,2)/3 = 2/3. Mean 0.666667; squares
    // 0.111111 + 0.111111 + 0.444444 + 0 = 0.666667; error √(0.666667 / 12) = 0.235702.
    // pass@3: 1, 1, 0, 1. Mean 0.75; squares 3 · 0.0625 + 0.5625 = 0.75; error √(0.75 / 12) = 0.25.
    expect([1, 2, 3].map((k) => rounded(passAt(k, four)))).toEqual([
      { k: 1, share: 0.5, error: 0.21517 },
      { k: 2, share: 0.66667, error: 0.2357 },
      { k: 3, share: 0.75, error: 0.25 },
    ]);
    // One task with 2 of 5 runs solved: 1 − C(3,3) / C(5,3) = 1 − 1/10.
    expect(rounded(passAt(3, [{ solved: 2, runs: 5 }]))).toEqual({ k: 3, share: 0.9, error: null });
  });

  it.each([
    // 3 of 4 solved: 4/3 · (3 · 0.0625 + 0.5625) / 4² = 0.0625, and 0.1875 / 3 = 0.0625.
    { name: "without repetitions, all runs count", solved: [1, 1, 1, 0], runs: [1, 1, 1, 1], effective: 4 },
    // 4/3 · (4 · 25) / 40² = 0.083333, and 0.25 / 39 = 0.00641: 13. The most is (4 · 10²) / 40 = 10, and 40 / 10 = 4.
    { name: "equal repetitions count as one", solved: [10, 10, 0, 0], runs: [10, 10, 10, 10], effective: 4 },
    // Repetitions differ more than by chance: Σ(c − 1)² = 0.
    { name: "no run counts twice", solved: [1, 1, 1], runs: [2, 2, 2], effective: 6 },
    // p = 3/6; (2 − 1)² + (0 − 0.5)² + (1 − 1.5)² = 1.5; 3/2 · 1.5 / 6² = 0.0625, and 0.25 / 5 = 0.05: 1.25; 6 / 1.25 = 4.8.
    { name: "tasks may have different numbers of runs", solved: [2, 0, 1], runs: [2, 1, 3], effective: 4.8 },
    { name: "tasks without runs do not count", solved: [2, 0, 0, 1], runs: [2, 1, 0, 3], effective: 4.8 },
    // (3² + 3²) / 6 = 3, and 6 / 3 = 2.
    { name: "when all runs are solved, tasks count", solved: [3, 3], runs: [3, 3], effective: 2 },
    // (8² + 1² + 1²) / 10 = 6.6, and 10 / 6.6 = 1.515152: one task has most of the runs.
    { name: "a task with most runs counts most", solved: [8, 1, 1], runs: [8, 1, 1], effective: 10 / 6.6 },
    { name: "runs of a single task count as one", solved: [9], runs: [10], effective: 1 },
    { name: "without runs, nothing is known", solved: [], runs: [], effective: 0 },
  ])("$name", ({ solved, runs, effective }) => {
    const tasks = runs.map((count, index) => ({ runs: count, solved: solved[index]! }));
    expect(solvedRate(tasks).effective).toBeCloseTo(effective, 9);
  });
});

function rounded<Values extends object>(values: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? Number(value.toFixed(5)) : value,
  ]);
  return Object.fromEntries(entries) as Values;
}

describe("the summary of runs", () => {
  it("counts repetitions by task, and leaves out only what says nothing about the model", () => {
    const runs = [
      ...["solved", "solved", "unsolved"].map((outcome, index) =>
        ended(`a m ${index + 1}`, "x/m", outcome as RunOutcome),
      ),
      ended("b m 1", "x/m", "solved"),
      ended("b m 2", "x/m", "unsolved"),
      ended("b m 3", "x/m", "budget"),
      ended("c m 1", "x/m", "infrastructure"),
    ];
    const { solved, passAt, outcomes } = summariseRuns(runs);
    expect([solved.successes, solved.total, outcomes.budget]).toEqual([3, 5, 1]);
    // a: 2 of 3 solved, b: 1 of 2. pass@1 = (2/3 + 1/2) / 2; pass@2 = (1 + 1) / 2, because C(1,2) = 0 in both.
    expect(passAt.map(({ k, share }) => [k, share.toFixed(4), formatPass(passAt[k - 1]!)])).toEqual([
      [1, "0.5833", "pass@1 58 % ± 8"],
      [2, "1.0000", "pass@2 100 % ± 0"],
    ]);
  });

  it("has one entry for each model, and no pass@k for several together", () => {
    const runs = [
      ended("a m", "x/m", "solved"),
      ended("a n", "y/n", "unsolved"),
      ended("b m", "x/m", "unsolved"),
    ];
    const models = summariseByModel(runs);
    expect(models.map(({ model, solved, passAt }) => [model, formatRate(solved), passAt])).toEqual([
      ["x/m", "50 % (9–91 %)", [{ k: 1, share: 0.5, error: 0.5 }]],
      ["y/n", "0 % (0–79 %)", [{ k: 1, share: 0, error: null }]],
    ]);
    expect(summariseRuns(runs).passAt).toEqual([]);
  });
});

it("exports one SWE-bench file per model, without runs that failed for other reasons", async () => {
  const data = { instance_id: "django__django-1" };
  const of = (run: Run): Run => ({ ...run, spec: { ...run.spec, data } });
  const given = [
    of(ended("a m 1", "x/m", "solved")),
    of(ended("a n 1", "y/n", "unsolved")),
    of(ended("a n 2", "y/n", "infrastructure")),
    of(ended("a n 3", "y/n", "budget")),
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
