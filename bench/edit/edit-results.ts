import { type CaseResult, type Verdict as Goal, shortNumber } from "../harness.ts";
import type { BigFileCase } from "./big-file.ts";
import type { ClassReport, LaneReport } from "./engine-lane.ts";
import type { Verdict } from "./judge.ts";
import type { EngineFailure } from "./measure-edits.ts";
import type { Category, Form } from "./task.ts";

type Reports = readonly (LaneReport | EngineFailure)[];

/** How many tasks each engine gets right, and how long it takes. */
export function enginesResult(reports: Reports): CaseResult {
  const head = [
    "",
    "form",
    "tasks",
    "clean right %",
    "damaged: recovered %",
    "collateral %",
    "refused %",
    "wrong % (indentation)",
    "either: recovered/refused/wrong %",
    "to refuse: refused %",
    "WRONG %",
    "p50/p95 µs",
  ];
  return {
    group: "edit",
    name: "real edits, clean, damaged, and to be refused",
    about:
      "Changes between published versions of npm packages, written down as calls: as they should be, with mistakes that models make, and such that nothing may be applied. *Recovered* is right in every byte. *Collateral* is the right change with other bytes changed too. *Wrong* is anything else that was applied, and anything applied where refusing was right.",
    contenders: [],
    table: [head, ...reports.flatMap(engineRows)],
    verdicts: goals(reports),
  };
}

function engineRows(report: LaneReport | EngineFailure): string[][] {
  if ("failure" in report) return [[report.engine, report.failure]];
  const forms = report.times.map(({ form }) => form);
  return forms.map((form) => {
    const { p50Us, p95Us, tasks } = report.times.find((times) => times.form === form)!;
    const of = (category: Category) => new Tally(report, form, category);
    const [clean, damaged, either, refuse] = [of("clean"), of("damaged"), of("either"), of("refuse")];
    return [
      report.engine,
      form,
      String(tasks),
      clean.share("right"),
      damaged.share("right"),
      damaged.share("collateral"),
      damaged.share("refused"),
      `${damaged.share("wrong", "indentation")} (${damaged.share("indentation")})`,
      [
        either.share("right"),
        either.share("refused"),
        either.share("collateral", "wrong", "indentation"),
      ].join("/"),
      refuse.share("right"),
      percent(wrongs(clean, damaged, either, refuse), tasks),
      `${p50Us.toFixed(0)} / ${p95Us.toFixed(0)}`,
    ];
  });
}

/** The results for the tasks of one category. */
class Tally {
  readonly #classes: readonly ClassReport[];

  constructor({ classes }: LaneReport, form: Form | undefined, category: Category) {
    this.#classes = classes.filter(
      (each) => each.category === category && (form === undefined || each.form === form),
    );
  }

  count(...verdicts: readonly Verdict[]): number {
    return this.#classes.reduce(
      (sum, each) => sum + verdicts.reduce((more, verdict) => more + (each.verdicts[verdict] ?? 0), 0),
      0,
    );
  }

  get all(): number {
    return this.count("right", "collateral", "refused", "indentation", "wrong");
  }

  share(...verdicts: readonly Verdict[]): string {
    return percent(this.count(...verdicts), this.all);
  }
}

function wrongs(...tallies: readonly Tally[]): number {
  return tallies.reduce((sum, tally) => sum + tally.count("wrong", "indentation"), 0);
}

function goals(reports: Reports): Goal[] {
  const ours = reports.find(({ engine }) => engine === "toolcrib");
  if (!ours) return [];
  if ("failure" in ours) return [{ goal: "all goals", measured: ours.failure, met: false }];
  const of = (category: Category) => new Tally(ours, undefined, category);
  const [clean, damaged, either, refuse] = [of("clean"), of("damaged"), of("either"), of("refuse")];
  const all = clean.all + damaged.all + either.all + refuse.all;
  const wrong = wrongs(clean, damaged, either, refuse);
  const slowest = (measure: "p50Us" | "p95Us") => Math.max(...ours.times.map((times) => times[measure]));
  return [
    { goal: "20 000 tasks or more", value: all, measured: String(all), met: all >= 20_000 },
    atLeast("clean right", 100, clean, "right"),
    atLeast("damaged recovered", 99.9, damaged, "right"),
    atLeast("to be refused, refused", 100, refuse, "right"),
    { goal: "no wrong edit", value: wrong, measured: `${wrong} of ${all}`, met: wrong === 0 },
    atMost("p50 of a call", 30, slowest("p50Us"), "µs"),
    atMost("p95 of a call", 500, slowest("p95Us"), "µs"),
  ];
}

function atLeast(what: string, limit: number, tally: Tally, verdict: Verdict): Goal {
  const value = (100 * tally.count(verdict)) / tally.all;
  const measured = `${tally.share(verdict)} % of ${tally.all}`;
  return { goal: `${what} ≥ ${limit} %`, value, measured, met: value >= limit };
}

function atMost(what: string, limit: number, value: number, unit: string): Goal {
  return {
    goal: `${what} ≤ ${limit} ${unit}`,
    value,
    measured: `${shortNumber(value)} ${unit}`,
    met: value <= limit,
  };
}

const bigFileLimitsMs: Readonly<Record<BigFileCase, number>> = { clean: 25, tolerant: 80, miss: 150 };

/** One edit in 10 MB. */
export function bigFileResult(reports: Reports): CaseResult {
  const names = Object.keys(bigFileLimitsMs) as BigFileCase[];
  const rows = reports.flatMap((report) => {
    if ("failure" in report) return [];
    return report.times.map(({ form }) => {
      const cells = names.map((name) => {
        const found = report.bigFile.find((each) => each.form === form && each.name === name);
        if (!found) return "";
        return (
          found.ms.toFixed(found.ms < 10 ? 1 : 0) + (found.verdict === "right" ? "" : ` (${found.verdict})`)
        );
      });
      return [report.engine, form, ...cells];
    });
  });
  const ours = reports.find(({ engine }) => engine === "toolcrib");
  const slowest = (name: BigFileCase) => {
    const figures = ours && "bigFile" in ours ? ours.bigFile.filter((each) => each.name === name) : [];
    const isRight = figures.length > 0 && figures.every(({ verdict }) => verdict === "right");
    return isRight ? Math.max(...figures.map(({ ms }) => ms)) : Number.POSITIVE_INFINITY;
  };
  return {
    group: "edit",
    name: "one edit in a file of 10 MB",
    about:
      "In the middle of real source files put together: lines as they are, the same lines indented otherwise, and lines that are not there. Programs include their start and the reading of the file.",
    contenders: [],
    table: [["", "form", ...names.map((name) => `${name} ms`)], ...rows],
    verdicts: ours ? names.map((name) => atMost(name, bigFileLimitsMs[name], slowest(name), "ms")) : [],
  };
}

/** The number of right results by class and engine. */
export function classesResult(reports: Reports): CaseResult {
  const measured = reports.filter((report) => "classes" in report);
  const kinds = new Map<string, Category>();
  for (const { classes } of measured) {
    for (const { kind, category } of classes) kinds.set(`${category}: ${kind}`, category);
  }
  const cell = ({ classes }: LaneReport, title: string) => {
    const own = classes.filter(({ kind, category }) => `${category}: ${kind}` === title);
    if (own.length === 0) return "";
    const count = (each: ClassReport) => Object.values(each.verdicts).reduce((sum, some) => sum + some, 0);
    const all = own.reduce((sum, each) => sum + count(each), 0);
    return percent(
      own.reduce((sum, each) => sum + (each.verdicts.right ?? 0), 0),
      all,
    );
  };
  return {
    group: "edit",
    name: "right answers by class",
    about: "In percent, over all forms that an engine takes; refusing is the right answer for the last ones.",
    contenders: [],
    table: [
      ["", ...measured.map(({ engine }) => engine)],
      ...[...kinds.keys()].map((title) => [title, ...measured.map((report) => cell(report, title))]),
    ],
    verdicts: [],
  };
}

/** Never rounded up to all or down to none. */
function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  if (part === 0 || part === whole) return share.toFixed(0);
  return Math.min(99.99, Math.max(0.01, share)).toFixed(share > 99.9 || share < 0.1 ? 2 : 1);
}
