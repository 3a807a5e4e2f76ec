import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "../../test/support/built-program.ts";
import { requestCost } from "../../test/support/fleet/fleet-lab.ts";
import { startPostgres, type TestPostgres } from "../../test/support/fleet/postgres.ts";
import { runStorm, type StormReport } from "../../test/support/fleet/storm.ts";
import { measureFleet, measureSingleRuns, type Work } from "../fleet/measure-fleet.ts";
import { type CaseResult, type Group, shortNumber, type Verdict } from "../harness.ts";

const program = [process.execPath, builtProgram];

/** Fleets on a real PostgreSQL, with a provider on this machine. */
export const group: Group = {
  needs: [],
  cases: [],
  run: async function* ({ only, sizes }) {
    const cases: readonly (readonly [string, () => Promise<CaseResult>])[] = [
      ["overhead", overhead],
      ["workers", manyWorkers],
      ["storm", () => storm(Number(sizes ?? 2_000))],
      ["budget", budgetInStorm],
    ];
    for (const [name, measureCase] of cases) if (name.includes(only)) yield await measureCase();
  },
};

/** A folder and a database of a case. Both are removed afterwards. */
async function inLab<Result>(
  use: (lab: { readonly folder: string; readonly postgres: TestPostgres }) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-fleet-"));
  mkdirSync(join(folder, "home"));
  try {
    await using postgres = await startPostgres();
    return await use({ folder, postgres });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function overhead(): Promise<CaseResult> {
  const count = 40;
  const [single, fleet] = await inLab(async ({ folder, postgres }) => [
    await measureSingleRuns({ folder: join(folder, "single"), program, runs: count }),
    await measureFleet({
      folder: join(folder, "fleet"),
      program,
      postgres,
      runs: count,
      workers: 1,
      slots: 4,
    }),
  ]);
  const more = fleet.cpuMs / count - single.cpuMs / count;
  return {
    group: "fleet",
    name: "overhead",
    about: `CPU of ${count} runs of three rounds by one worker on PostgreSQL, clone, check and artifacts included, against \`toolcrib run\` of the same task in a clone that exists.`,
    contenders: [],
    table: [
      ["", "CPU ms a run", "seconds"],
      ["toolcrib run", shortNumber(single.cpuMs / count), shortNumber(single.seconds)],
      ["fleet work", shortNumber(fleet.cpuMs / count), shortNumber(fleet.seconds)],
    ],
    verdicts: [verdict("at most 50 ms CPU more", more, "ms", more <= 50)],
  };
}

async function manyWorkers(): Promise<CaseResult> {
  const measureWith = (workers: number): Promise<Work> =>
    inLab(({ folder, postgres }) =>
      measureFleet({ folder, program, postgres, runs: 24, workers, slots: 1, latencyMs: 1_000 }),
    );
  const [one, four] = [await measureWith(1), await measureWith(4)];
  const times = one.seconds / four.seconds;
  return {
    group: "fleet",
    name: "workers",
    about:
      "24 runs of three requests that take a second each; every worker does one run at a time. Taken from the first request to the end of the last run.",
    contenders: [],
    table: [
      ["workers", "seconds", "runs a minute"],
      ["1", shortNumber(one.seconds), shortNumber((24 * 60) / one.seconds)],
      ["4", shortNumber(four.seconds), shortNumber((24 * 60) / four.seconds)],
    ],
    verdicts: [verdict("at least 3.5 × the throughput of one", times, "×", times >= 3.5)],
  };
}

async function storm(runs: number): Promise<CaseResult> {
  const report = await inLab(({ folder, postgres }) =>
    runStorm({ folder, program, postgres, runs, ...weather(runs) }),
  );
  process.stderr.write("\n");
  return {
    group: "fleet",
    name: "storm",
    about: `${runs} runs on 4 workers with 4 slots each. A random worker is killed (kill -9) every 4 s, the database restarts every minute, the provider refuses all requests for 5 s every 30 s. Each run adds two lines to a file, one call each.`,
    contenders: [],
    table: Object.entries({
      ...report,
      faults: report.faults.length,
      outcomes: JSON.stringify(report.outcomes),
    }).map(([name, value]) => [name, typeof value === "number" ? shortNumber(value) : value]),
    verdicts: judge(report, runs),
  };
}

async function budgetInStorm(): Promise<CaseResult> {
  const [runs, budget, workers] = [200, 1, 4];
  const { outcomes, charged, spent, kills, faults } = await inLab(({ folder, postgres }) =>
    runStorm({ folder, program, postgres, runs, budget, ...weather(runs) }),
  );
  process.stderr.write("\n");
  const most = budget + workers * requestCost;
  return {
    group: "fleet",
    name: "budget",
    about: `${runs} runs that would cost about ${shortNumber(runs * 6 * requestCost)} dollars, with a budget of ${budget} dollar, on the workers of the storm. Runs that find no money end as budget.`,
    contenders: [],
    table: [
      ["kills", shortNumber(kills)],
      ["outcomes", JSON.stringify(outcomes)],
      ["charged by the provider, dollars", charged.toFixed(3)],
      ["in the books, dollars", spent.toFixed(3)],
    ],
    verdicts: [
      verdict("at most the budget and one request per worker", charged, "dollars", charged <= most),
      verdict("no other outcome, no call twice", faults.length, "faults", faults.length === 0),
    ],
  };
}

function weather(runs: number) {
  return {
    ...{ workers: 4, slots: 4, random: Math.random },
    ...{ killEveryMs: 4_000, restartDatabaseEveryMs: 60_000, stormEveryMs: 30_000, stormMs: 5_000 },
    onProgress: (ended: number) => process.stderr.write(`\rfleet: ${ended} of ${runs} runs have ended `),
  };
}

function judge(report: StormReport, runs: number): readonly Verdict[] {
  const solved = report.outcomes.solved ?? 0;
  return [
    verdict("every run is solved, exactly once", solved, `of ${runs}`, solved === runs),
    verdict(
      "no call twice, no other patch, nothing done again",
      report.faults.length,
      "faults",
      report.faults.length === 0,
    ),
    verdict(
      "the books hold at least what the provider charged",
      report.spent / report.charged,
      "× of it",
      report.spent >= report.charged - requestCost / 2,
    ),
  ];
}

function verdict(goal: string, value: number, unit: string, met: boolean): Verdict {
  return { goal, value, measured: `${shortNumber(value)} ${unit}`, met };
}
