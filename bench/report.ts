import { execFileSync } from "node:child_process";
import { cpus, release, totalmem } from "node:os";
import { rgPath } from "@vscode/ripgrep";
import {
  type CaseResult,
  type ContenderResult,
  type Figures,
  shortNumber,
  type TimeMeasure,
  type Verdict,
} from "./harness.ts";

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly ripgrep: string;
  readonly git: string;
}

/** The output of `--json`, from which the results page is written. */
export interface Report {
  readonly machine: Machine;
  readonly results: readonly CaseResult[];
}

export function describeMachine(): Machine {
  const firstLine = (program: string) =>
    execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")[0]!;
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    ripgrep: firstLine(rgPath),
    git: firstLine("git"),
  };
}

/**
 * The rows of one case: a title, then one contender per row with its figures and its ratios to the first; or the
 * case's own rows.
 */
export function caseRows(result: CaseResult): readonly (readonly string[])[] {
  if (result.contenders.length === 0) return result.table ?? [];
  const measured = result.contenders.filter((contender) => "p50Ms" in contender);
  const unit = measured.every(({ p50Ms }) => p50Ms < 1) ? microseconds : milliseconds;
  // Results that were published before p10 was measured have none.
  const shown = shownMeasures.filter(([measure]) => measured.every((figures) => measure in figures));
  return [
    [
      "",
      ...shown.map(([, name]) => `${name} ${unit.name}`),
      ...shown.map(([, name]) => `× ${name}`),
      ...["memory", "found"],
    ],
    ...result.contenders.map((contender) =>
      contenderRow(
        contender,
        measured[0],
        unit,
        shown.map(([measure]) => measure),
      ),
    ),
  ];
}

export function verdictLine({ met, goal, measured }: Verdict): string {
  return `${met ? "met" : "NOT MET"}: ${goal} (${measured})`;
}

/** Formats a case for the terminal. */
export function printCase(result: CaseResult): string {
  const rows = caseRows(result);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!);
  const lines = rows.map((row) => row.map(align).join("  ").trimEnd());
  return [
    `${result.group}: ${result.name}`,
    ...[...lines, ...failureLines(result), ...result.verdicts.map(verdictLine)].map((line) => `  ${line}`),
    "",
  ].join("\n");
}

export function failureLines({ contenders }: CaseResult): readonly string[] {
  return contenders.flatMap((each) => ("failure" in each ? [`${each.name} failed: ${each.failure}`] : []));
}

/** Formats every goal on one line. */
export function printSummary({ machine, results }: Report): string {
  const lines = results.flatMap(({ group, name, verdicts }) =>
    verdicts.map((verdict) => `  ${verdictLine(verdict)} - ${group}: ${name}`),
  );
  const { date, processor, cores, kernel, node, ripgrep } = machine;
  return [`${date}, ${processor}, ${cores} cores, ${kernel}, Node ${node}, ${ripgrep}`, ...lines].join("\n");
}

const shownMeasures: readonly (readonly [TimeMeasure, string])[] = [
  ["cpuMs", "cpu"],
  ["p50Ms", "p50"],
  ["p10Ms", "p10"],
  ["minMs", "min"],
];

const milliseconds = { name: "ms", perMs: 1 };
const microseconds = { name: "µs", perMs: 1000 };

function contenderRow(
  contender: ContenderResult,
  reference: Figures | undefined,
  unit: { readonly perMs: number },
  measures: readonly TimeMeasure[],
): string[] {
  if ("failure" in contender) return [contender.name, "failed"];
  return [
    contender.name,
    ...measures.map((measure) => shortNumber(contender[measure] * unit.perMs)),
    ...measures.map((measure) => shortNumber(contender[measure] / reference![measure])),
    `+${Math.max(0, contender.peakMb).toFixed(1)} MB`,
    contender.answer,
  ];
}
