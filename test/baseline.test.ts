import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareFigures, figuresOf, printComparison, readBaseline } from "../bench/baseline.ts";
import type { CaseResult, ContenderResult } from "../bench/harness.ts";
import { countFolders } from "../bench/weight/count-lines.ts";

function caseOf(given: Partial<CaseResult>): CaseResult {
  return { group: "start", name: "the version", about: "", contenders: [], verdicts: [], ...given };
}

function contender(name: string, cpuMs: number, p50Ms: number): ContenderResult {
  return { name, cpuMs, p50Ms, p10Ms: 0, minMs: 0, peakMb: 0, heapMb: 0, residentMb: 0, answer: "" };
}

describe("figures of a benchmark", () => {
  it("are the ratios of our contenders to the reference", () => {
    const contenders = [
      contender("node -e 0", 40, 50),
      contender("toolcrib", 80, 75),
      contender("other", 400, 500),
      { name: "toolcrib, again", failure: "it ended" },
    ];
    expect(figuresOf([caseOf({ contenders })])).toEqual({
      "start: the version: toolcrib, cpu × node -e 0": 2,
      "start: the version: toolcrib, p50 × node -e 0": 1.5,
    });
  });

  it("are the times of a contender that has no reference", () => {
    expect(figuresOf([caseOf({ contenders: [contender("toolcrib", 2, 3)] })])).toEqual({
      "start: the version: toolcrib, cpu ms": 2,
      "start: the version: toolcrib, p50 ms": 3,
    });
  });

  it("are the numbers in our rows of a table", () => {
    const table = [
      ["", "form", "tasks", "right %", "p50/p95 µs", "bytes"],
      ["toolcrib", "v4a", "10 768", "98.3 (1)", "96 / 558", "4 → 3"],
      ["GNU patch", "udiff", "10 768", "50", "1 / 2", "4 → 4"],
    ];
    expect(figuresOf([caseOf({ table })])).toEqual({
      "start: the version: toolcrib, v4a, tasks": 10_768,
      "start: the version: toolcrib, v4a, right %": 98.3,
      "start: the version: toolcrib, v4a, p50/p95 µs": 96,
      "start: the version: toolcrib, v4a, bytes": 3,
    });
  });

  it("are the numbers in our column, and of every row of a table that is ours alone", () => {
    const compared = [
      ["", "other", "toolcrib"],
      ["2 hunks", "1", "2"],
    ];
    const own = [
      ["ms", "p50"],
      ["10 files changed", "265"],
    ];
    expect(figuresOf([caseOf({ table: compared }), caseOf({ name: "own", table: own })])).toEqual({
      "start: the version: 2 hunks, toolcrib": 2,
      "start: own: 10 files changed, p50": 265,
    });
  });
});

describe("a comparison with a baseline", () => {
  const old = { "a: time": 10, "a: right %": 99, "a: gone": 1, "a: none": 0, "b: time": 5 };

  it("marks what is worse by more than 10 %, in the groups that were measured", () => {
    const compared = compareFigures(old, { "a: time": 11.1, "a: right %": 80, "a: none": 1, "a: new": 1 });
    expect(compared).toEqual([
      { figure: "a: time", old: 10, now: 11.1, isWorse: true },
      { figure: "a: right %", old: 99, now: 80, isWorse: true },
      { figure: "a: gone", old: 1, now: undefined, isWorse: false },
      { figure: "a: none", old: 0, now: 1, isWorse: true },
    ]);
  });

  it("accepts what is better, or worse by less", () => {
    const compared = compareFigures(old, { "a: time": 11, "a: right %": 95, "a: gone": 0.1, "a: none": 0 });
    expect(compared.filter(({ isWorse }) => isWorse)).toEqual([]);
  });

  it("knows in which figures more is better by how they end", () => {
    const before = {
      "a: delete five blocks, calls": 3,
      "a: recall, block": 1,
      "a: toolcrib, cpu × right": 1,
    };
    const now = { "a: delete five blocks, calls": 4, "a: recall, block": 2, "a: toolcrib, cpu × right": 2 };
    expect(compareFigures(before, now).map(({ isWorse }) => isWorse)).toEqual([true, false, true]);
  });

  it("prints old, new, ratio and a sum", () => {
    expect(printComparison(compareFigures(old, { "b: time": 10 }))).toBe(
      "b: time        5       10   × 2.00  WORSE\n\n1 of 1 figures are worse by more than 10 %.",
    );
  });

  it("has a baseline to compare with", () => {
    const { commit, figures } = readBaseline("baseline");
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(Object.values(figures).filter((figure) => !Number.isFinite(figure))).toEqual([]);
    expect(figures["weight: source lines: src, lines"]).toBe(183_089);
  });
});

describe("source lines", () => {
  it("are counted by folder, tests and docs apart", () => {
    const paths = [
      "src/lib/a.ts",
      "src/lib/b/c.tsx",
      "src/lib/a.test.ts",
      "test/b.ts",
      "docs/a.md",
      "README.md",
    ];
    const files = [...paths, "bench/run.ts", "vitest.config.ts"].map((path, number) => ({
      path,
      lines: number + 1,
    }));
    expect(countFolders(files)).toEqual([
      { folder: "bench", files: 1, lines: 7 },
      { folder: "docs", files: 1, lines: 5 },
      { folder: "src", files: 2, lines: 3 },
      { folder: "src/lib", files: 2, lines: 3 },
      { folder: "tests", files: 2, lines: 7 },
    ]);
  });
});

describe("counting modules", () => {
  it("counts each module of the folder once, loaded at once or later", () => {
    const folder = mkdtempSync(join(tmpdir(), "toolcrib modules "));
    try {
      mkdirSync(join(folder, "src"));
      writeFileSync(
        join(folder, "src/a.mjs"),
        'import "./b.mjs"; await import("./b.mjs"); await import("./c.mjs");',
      );
      for (const name of ["b", "c", "unused"]) writeFileSync(join(folder, `src/${name}.mjs`), "");
      writeFileSync(join(folder, "main.mjs"), 'await import("./src/a.mjs");');
      const counter = join(import.meta.dirname, "../bench/weight/count-modules.mjs");
      const printed = execFileSync(process.execPath, ["--import", counter, join(folder, "main.mjs")], {
        env: { ...process.env, COUNT_MODULES_OF: join(folder, "src") },
        encoding: "utf8",
      });
      expect(printed.trim()).toBe("modules: 3");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
