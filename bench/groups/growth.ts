import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { AreaMessage, AreaOptions, Step } from "../growth/measure.ts";
import {
  buildMeasure,
  countOf,
  ensureJournal,
  ensureTree,
  installSubject,
  ownCheckout,
  type Subject,
} from "../growth/stage.ts";
import { type CaseResult, type Group, shortNumber, type Verdict } from "../harness.ts";
import { childrenOf, residentMbOf, treeOf } from "../process-tree.ts";

/**
 * Measures how the cost of calls grows with the files of the workspace and the records of the journal. With several
 * subjects each area is measured for one after the other, for example for a checkout from before a change.
 */
export const group: Group = {
  needs: [],
  cases: [],
  run: async function* ({ only, sizes = "1k,10k,100k,300k", subject = [ownCheckout] }) {
    const program = await buildMeasure();
    const subjects = subject.map((checkout) => installSubject(checkout, program));
    for (const part of [...sizes.split(",").flatMap(partsAt), ...fixedParts])
      if (part.name.includes(only)) yield measurePart(part, subjects);
  },
};

interface Part {
  readonly name: string;
  readonly about: string;
  readonly areas: (subject: Subject) => readonly Area[];
  readonly references: (subject: Subject) => readonly Area[];
  readonly goals: readonly Goal[];
}

/** What one process measures. `suffix` tells its rows from those of the same area with other options. */
interface Area {
  readonly area: string;
  readonly suffix?: string;
  readonly options: Pick<AreaOptions, "workspace" | "state" | "isKept" | "rules">;
}

interface Goal {
  readonly row: string;
  readonly measure: "wallMs" | "cpuMs" | "peakMb" | "firstMs";
  readonly atMost: number;
  /** Whether `atMost` is a multiple of the reference. */
  readonly isRatio?: true;
}

function partsAt(size: string): readonly Part[] {
  const files = countOf(size);
  const tree = () => ensureTree(size, { git: true });
  const plain = () => ensureTree(size, { git: false });
  const writes = "shell.run that writes one file, later";
  const stateOf = ({ folder }: Subject, name: string) => join(folder, `state-${name}-${size}`);
  const inTree = (area: string) => (subject: Subject) => ({
    area,
    options: { workspace: tree(), state: stateOf(subject, area) },
  });
  const ofProcess = (subject: Subject, rules: number) => ({
    area: "commandOfProcess",
    options: { workspace: tree(), state: stateOf(subject, "command"), isKept: true, rules },
  });
  const inJournal = (area: string) => (subject: Subject) => ({
    area,
    options: { ...ensureJournal(subject, size), isKept: true },
  });
  return [
    {
      name: `calls, ${size} files`,
      about: "Calls through the library, in a git repository. References: ripgrep and git.",
      areas: (subject) => [inTree("calls")(subject)],
      references: (subject) => [inTree("ripgrep")(subject), inTree("git")(subject)],
      goals: [],
    },
    {
      name: `commands, ${size} files`,
      about:
        "`echo > file` and `true` by shell.run. A process that is not the first in its workspace finds what earlier ones stored. Reference: git status.",
      areas: (subject) => [
        { ...inTree("command")(subject), suffix: ", git" },
        ofProcess(subject, 0),
        ofProcess(subject, 1000),
        {
          area: "command",
          suffix: ", no git",
          options: { workspace: plain(), state: stateOf(subject, "plain") },
        },
      ],
      references: (subject) => [{ ...inTree("git")(subject) }],
      goals:
        files > 300_000
          ? []
          : [
              { row: `${writes}, git`, measure: "cpuMs", atMost: 250 },
              { row: `${writes}, git`, measure: "peakMb", atMost: 150 },
            ],
    },
    {
      name: `journal, ${size} records`,
      about:
        "The command line on a journal of 60 days, from start to exit. References: SQLite, with a scan of the whole table.",
      areas: (subject) => [inJournal("journal")(subject)],
      references: (subject) => [inJournal("sqlite")(subject)],
      goals: [
        ...["log --failed", "log --tool web.fetch", "log --session", "log --text"].map((row) => ({
          ...{ row, measure: "wallMs" as const, atMost: 150 },
        })),
        { row: "log verify", measure: "wallMs", atMost: 3000 },
        { row: "doctor", measure: "wallMs", atMost: 3000 },
      ],
    },
    {
      name: `code, ${size} files`,
      about: "An index from nothing, in one process that stays open. Reference: ripgrep.",
      areas: (subject) => [inTree("code")(subject)],
      references: (subject) => [inTree("ripgrepLiterals")(subject)],
      goals: [
        { row: "code.map, later", measure: "wallMs", atMost: 50 },
        { row: "code.search of an exact name, p95", measure: "wallMs", atMost: 30 },
        { row: "code.search, first", measure: "peakMb", atMost: 400 },
        { row: "index, the rest", measure: "peakMb", atMost: 400 },
      ],
    },
    {
      name: `200 calls at once, ${size} files`,
      about:
        "Most processes at a time, the memory of all of them, the time to the first and to the last answer.",
      areas: (subject) => [inTree("greps")(subject), inTree("shells")(subject)],
      references: () => [],
      goals: [],
    },
  ];
}

const fixedParts: readonly Part[] = [
  {
    name: "first search, 3k files",
    about: "The first `code.search` in a repository without an index, which is built in the background.",
    areas: ({ folder }) => [
      {
        area: "firstSearch",
        options: { workspace: ensureTree("3k", { git: true }), state: join(folder, "state-first-search") },
      },
    ],
    references: () => [],
    goals: ["code.search, first", "toolcrib call code.search, first"].map((row) => ({
      ...{ row, measure: "wallMs", atMost: 3000 },
    })),
  },
  {
    name: "start",
    about: "`toolcrib call file.read`, from start to exit. Reference: node -e 0.",
    areas: ({ folder }) => [
      {
        area: "start",
        options: { workspace: ensureTree("1k", { git: true }), state: join(folder, "state-start") },
      },
    ],
    references: ({ folder }) => [
      {
        area: "node",
        options: { workspace: ensureTree("1k", { git: true }), state: join(folder, "state-node") },
      },
    ],
    goals: [{ row: "call file.read, from start to exit", measure: "cpuMs", atMost: 1.8, isRatio: true }],
  },
  {
    name: "hub",
    about: "50 MCP servers that do nothing, started and closed.",
    areas: ({ folder }) => [
      {
        area: "hub",
        options: { workspace: ensureTree("1k", { git: true }), state: join(folder, "state-hub") },
      },
    ],
    references: () => [],
    goals: [],
  },
];

/** A step with the memory and number of all its processes. */
interface Measured extends Step {
  readonly processes: number;
}

type Rows = ReadonlyMap<string, Measured>;

async function measurePart(part: Part, subjects: readonly Subject[]): Promise<CaseResult> {
  const columns: Rows[] = [];
  for (const subject of subjects) columns.push(await measureAreas(part.areas(subject), subject));
  const reference = await measureAreas(part.references(subjects[0]!), subjects[0]!);
  return {
    group: "growth",
    name: part.name,
    about: part.about,
    contenders: [],
    table: table(
      subjects.map(({ name }) => name),
      columns,
      reference,
    ),
    verdicts: part.goals.map((goal) => judge(goal, columns.at(-1)!, reference)),
  };
}

async function measureAreas(
  areas: readonly Area[],
  { checkout, installed, program }: Subject,
): Promise<Rows> {
  const rows = new Map<string, Measured>();
  for (const { area, suffix = "", options } of areas) {
    const measured = await measureArea(program, area, { ...options, checkout, installed });
    for (const step of measured) rows.set(`${step.name}${suffix}`, step);
  }
  return rows;
}

async function measureArea(
  program: string,
  area: string,
  options: AreaOptions,
): Promise<readonly Measured[]> {
  const child = fork(program, [area, JSON.stringify(options)], {
    env: { ...process.env, GROWTH_RIPGREP: rgPath },
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const steps: Measured[] = [];
  let most = { processes: 0, mb: 0 };
  const sample = () => {
    const children = childrenOf(child.pid!);
    const processes = children.flatMap(treeOf).length;
    const mb = children.reduce((sum, pid) => sum + residentMbOf(Number(pid), "RssAnon"), 0);
    most = { processes: Math.max(most.processes, processes), mb: Math.max(most.mb, mb) };
  };
  const sampler = setInterval(sample, 50);
  child.on("message", (message: AreaMessage) => {
    if ("begin" in message) most = { processes: 0, mb: 0 };
    else
      steps.push({
        ...message.end,
        peakMb: message.end.peakMb + most.mb,
        processes: most.processes,
      });
  });
  const [code, signal] = await once(child, "exit");
  clearInterval(sampler);
  if (code !== 0)
    process.stderr.write(`${area} ended with ${signal ?? code}: its other figures are missing.\n`);
  return steps;
}

function table(
  names: readonly string[],
  columns: readonly Rows[],
  reference: Rows,
): readonly (readonly string[])[] {
  const prefix = (name: string) => (names.length === 1 ? "" : `${name}: `);
  const hasFirst = columns.some((rows) => [...rows.values()].some(({ firstMs }) => firstMs !== undefined));
  const cells = (step: Measured | undefined) => [
    shown(step?.cpuMs),
    shown(step?.wallMs),
    shown(step?.peakMb),
    ...(hasFirst ? [shown(step?.firstMs), shown(step?.processes)] : []),
  ];
  const heads = ["cpu ms", "wall ms", "MB", ...(hasFirst ? ["first ms", "processes"] : [])];
  const hasReference = reference.size > 0;
  const rowNames = new Set([...columns, reference].flatMap((rows) => [...rows.keys()]));
  return [
    [
      "",
      ...names.flatMap((name) => heads.map((head) => `${prefix(name)}${head}`)),
      ...(hasReference ? ["reference: cpu ms", "reference: wall ms"] : []),
    ],
    ...[...rowNames].map((name) => [
      name,
      ...columns.flatMap((rows) => cells(rows.get(name))),
      ...(hasReference ? cells(reference.get(name)).slice(0, 2) : []),
    ]),
  ];
}

function shown(value: number | undefined): string {
  return value === undefined ? "" : shortNumber(value);
}

function judge({ row, measure, atMost, isRatio }: Goal, ours: Rows, reference: Rows): Verdict {
  const unit = isRatio ? " × the reference" : measure === "peakMb" ? " MB" : " ms";
  const words = { wallMs: "", cpuMs: "cpu ", peakMb: "memory ", firstMs: "first answer " }[measure];
  const goal = `${row}: ${words}≤ ${atMost}${unit}`;
  const found = ours.get(row)?.[measure];
  const other = isRatio ? reference.get(row)?.[measure] : 1;
  if (found === undefined || other === undefined) return { goal, measured: "not measured", met: false };
  const value = found / other;
  return { goal, value, measured: `${shortNumber(value)}${isRatio ? " ×" : unit}`, met: value <= atMost };
}
