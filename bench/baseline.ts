import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { type CaseResult, type Figures, shortNumber } from "./harness.ts";
import type { Machine } from "./report.ts";

/** Figures by name, such as "start: the version: toolcrib, cpu × node -e 0". */
export type NamedFigures = Readonly<Record<string, number>>;

interface Baseline {
  /** The commit that was measured. */
  readonly commit: string;
  readonly machine: Machine;
  /** When a group was measured last, and the load average of that minute: the times of busy minutes are rough. */
  readonly measured: Readonly<Record<string, string>>;
  /** What was left out, and why. */
  readonly notMeasured: Readonly<Record<string, string>>;
  readonly figures: NamedFigures;
}

export function readBaseline(name: string): Baseline {
  return JSON.parse(readFileSync(fileOf(name), "utf8")) as Baseline;
}

interface Measurement extends Pick<Baseline, "commit" | "machine"> {
  readonly results: readonly CaseResult[];
  /** Figures that were measured by hand, such as seconds of the tests. */
  readonly given: NamedFigures;
}

/** Replaces the figures of the cases that were measured. The others stay. */
export function saveBaseline(name: string, { commit, machine, results, given }: Measurement): void {
  const before = readOrEmpty(name);
  const cases = new Set(results.map(caseOf));
  const isKept = ([figure]: [string, unknown]) => ![...cases].some((each) => figure.startsWith(`${each}: `));
  const kept = Object.fromEntries(Object.entries(before.figures ?? {}).filter(isKept));
  const when = `${new Date().toISOString().slice(0, 16)}, load ${loadavg()[0]!.toFixed(1)}`;
  const measured = { ...before.measured, ...Object.fromEntries(results.map(({ group }) => [group, when])) };
  const baseline: Baseline = {
    commit,
    machine,
    measured: sorted(measured),
    notMeasured: before.notMeasured ?? {},
    figures: sorted({ ...kept, ...figuresOf(results), ...given }),
  };
  writeFileSync(fileOf(name), `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** What a later run is compared with: ratios to the reference of the same case, and the numbers of tables. */
export function figuresOf(results: readonly CaseResult[]): NamedFigures {
  return Object.fromEntries(
    results
      .filter(isCompared)
      .flatMap((result) =>
        [...contenderFigures(result), ...tableFigures(result.table ?? [])]
          .filter(([, value]) => Number.isFinite(value))
          .map(([name, value]) => [`${caseOf(result)}: ${name}`, value] as const),
      ),
  );
}

function contenderFigures({ contenders }: CaseResult): readonly (readonly [string, number])[] {
  const [reference, ...others] = contenders;
  if (reference === undefined || "failure" in reference) return [];
  if (others.length === 0) {
    return [
      [`${reference.name}, cpu ms`, rounded(reference.cpuMs)],
      [`${reference.name}, p50 ms`, rounded(reference.p50Ms)],
    ];
  }
  return others
    .filter((each): each is Figures & { name: string } => isOurs(each.name) && !("failure" in each))
    .flatMap((ours) => [
      [`${ours.name}, cpu × ${reference.name}`, rounded(ours.cpuMs / reference.cpuMs)],
      [`${ours.name}, p50 × ${reference.name}`, rounded(ours.p50Ms / reference.p50Ms)],
    ]);
}

/** Keeps the rows or the column of Toolcrib where others are in the same table. */
function tableFigures([header, ...rows]: readonly (readonly string[])[]): (readonly [string, number])[] {
  if (header === undefined) return [];
  const ourRows = rows.filter(([name]) => isOurs(name ?? ""));
  const ourColumn = header.findIndex(isOurs);
  return (ourRows.length > 0 ? ourRows : rows).flatMap((row, number) => {
    const first = row.findIndex(
      (cell, column) => !(column === 0 && header[0] === "") && !Number.isNaN(figureIn(cell)),
    );
    const name = row.slice(0, Math.max(first, 0)).join(", ") || `row ${number + 1}`;
    return row.flatMap((cell, column) => {
      const isFigure = first >= 0 && column >= first && (ourColumn <= 0 || column === ourColumn);
      return isFigure ? [[`${name}, ${header[column]}`, figureIn(cell)] as const] : [];
    });
  });
}

/** The first number of a cell; of "before → after", the one after. NaN for a text, even when it begins with a number. */
function figureIn(cell: string): number {
  const text = cell
    .split("→")
    .at(-1)!
    .trim()
    .replaceAll(/(?<=\d)[\s,](?=\d{3}\b)/g, "");
  return /^[+-]?[\d.]+\s*(?:$|[^\p{L}\s\d.]|(?:ms|s|µs|MB|KB|of)\b)/u.test(text)
    ? Number.parseFloat(text)
    : Number.NaN;
}

const rounded = (value: number) => Number(shortNumber(value));

const isOurs = (name: string) => name.startsWith("toolcrib");

/** Edits by anchors are to go, and have eighty figures. */
const isCompared = ({ name }: CaseResult) => name !== "edits by anchors";

const caseOf = ({ group, name }: Pick<CaseResult, "group" | "name">) => `${group}: ${name}`;

interface Comparison {
  readonly figure: string;
  readonly old: number;
  readonly now: number | undefined;
  readonly isWorse: boolean;
}

/** Compares the figures of the groups in `now`. What only the baseline has is missing, what only `now` has is left out. */
export function compareFigures(old: NamedFigures, now: NamedFigures): readonly Comparison[] {
  const groupOf = (figure: string) => figure.split(":")[0]!;
  const groups = new Set(Object.keys(now).map(groupOf));
  return Object.entries(old)
    .filter(([figure]) => groups.has(groupOf(figure)))
    .map(([figure, before]) => {
      const after = now[figure];
      return {
        figure,
        old: before,
        now: after,
        isWorse: after !== undefined && isWorse(figure, before, after),
      };
    });
}

/** Of figures that end so more is better; of all others, such as times, memory and questions, less. */
const moreIsBetter =
  /^(?!.* × ).*(?:right.*|recovered.*|to refuse: refused %|exactly|saved|most on a task|R@\d+|MRR|block|recall|found|in order|a minute|a second|solved)$/;

function isWorse(figure: string, before: number, after: number): boolean {
  return moreIsBetter.test(figure) ? after < before / 1.1 : after > before * 1.1;
}

export function printComparison(comparisons: readonly Comparison[]): string {
  const width = Math.max(0, ...comparisons.map(({ figure }) => figure.length));
  const lines = comparisons.map(({ figure, old, now, isWorse }) => {
    const cells =
      now === undefined ? [old, "missing"] : [old, now, old === 0 ? "" : `× ${shortNumber(now / old)}`];
    const shown = cells.map((cell) => String(cell).padStart(9)).join("");
    return `${figure.padEnd(width)}${shown}${isWorse ? "  WORSE" : ""}`;
  });
  const worse = comparisons.filter(({ isWorse }) => isWorse).length;
  return [...lines, "", `${worse} of ${comparisons.length} figures are worse by more than 10 %.`].join("\n");
}

function readOrEmpty(name: string): Partial<Baseline> {
  try {
    return readBaseline(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, import.meta.url);
}
