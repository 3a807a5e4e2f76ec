import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "../../src/agent/create-session.ts";
import { toolcribDialect } from "../../src/dialects/toolcrib.ts";
import type { CaseResult, Verdict } from "../harness.ts";
import { type Cost, ScriptedModel } from "./scripted-model.ts";
import { type Task, tasks } from "./tasks.ts";
import { writeWorkspace } from "./workspaces.ts";

/** What is measured, and what its absence means. */
const features = {
  deferral: "without it, every request lists all tools in full",
  "short outputs": "without it, the model gets the whole output of every call",
  clearing: "without it, no old output leaves the conversation",
  anchors: "without it, an edit repeats the old text",
  scripts: "without it, the model makes every call itself",
  "language servers": "without it, the model finds references by their text",
} as const;

type Feature = keyof typeof features;

const names = Object.keys(features) as Feature[];

/** Runs every trajectory with no feature, with each one alone, and with all. */
export async function* measureTokens({ only }: { readonly only: string }): AsyncGenerator<CaseResult> {
  const wanted = tasks.filter(({ name }) => name.includes(only));
  const runs = new Map<string, readonly Run[]>();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-tokens-")));
  for (const name of new Set(wanted.map(({ workspace }) => workspace)))
    writeWorkspace(name, join(folder, name));
  for (const task of wanted) {
    const of: Run[] = [];
    for (const on of [[], ...names.map((name) => [name]), names])
      of.push(await run(task, new Set(on), join(folder, task.workspace)));
    const answers = new Set(of.map(({ answer }) => answer));
    if (answers.size > 1)
      throw new Error(`The answers differ in "${task.name}":\n${[...answers].join("\n---\n")}`);
    process.stderr.write(`${task.name}: ${of.map(({ cost }) => total(cost)).join(" ")}\n`);
    runs.set(task.name, of);
  }
  rmSync(folder, { recursive: true, force: true });
  yield byTask(runs);
  yield byFeature(runs);
}

interface Run {
  readonly cost: Cost;
  readonly answer: string;
}

async function run(
  { prompt, sandbox = "none", solve }: Task,
  on: ReadonlySet<Feature>,
  original: string,
): Promise<Run> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-tokens-")));
  const workspace = join(folder, "workspace");
  cpSync(original, workspace, { recursive: true });
  const scripted = new ScriptedModel(solve, { defersTools: on.has("deferral"), uses: on });
  const session = await createSession({
    model: scripted.model,
    dialect: on.has("deferral") ? "toolcrib" : { ...toolcribDialect, listed: undefined },
    workspace,
    stateDirectory: join(folder, "state"),
    configDirectory: join(folder, "config"),
    mode: "yolo",
    sandbox,
    projectInstructions: false,
    // Git answers in time or not, and the folder has another name every time.
    system: (base) => base.replaceAll(workspace, "/workspace").replace(/^Git: .*\n(?: {2}\w{9} .*\n)*/m, ""),
    limits: { rounds: 500, clearTokens: on.has("clearing") ? 100_000 : 0 },
    hooks: on.has("short outputs")
      ? {}
      : {
          PostToolUse: async (_, { output }) =>
            output === null ? undefined : (await session.toolcrib.readOutput(output, { maxBytes: 1e8 })).text,
        },
  });
  try {
    const { outcome, text, error } = await session.run(prompt).result;
    if (outcome !== "completed") throw new Error(`${prompt} ended as ${outcome}: ${error?.message}`);
    return { cost: scripted.cost, answer: text };
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function total({ input, output }: Cost): number {
  return input + output;
}

function byTask(runs: ReadonlyMap<string, readonly Run[]>): CaseResult {
  const pairs = [...runs].map(([name, of]) => [name, of[0]!.cost, of.at(-1)!.cost] as const);
  const sum = (pick: (cost: Cost) => number, side: 1 | 2) =>
    pairs.reduce((count, pair) => count + pick(pair[side]), 0);
  const row = (name: string, of: (pick: (cost: Cost) => number, side: 1 | 2) => number) => {
    const both = (pick: (cost: Cost) => number) => [of(pick, 1), of(pick, 2)].map(grouped).join(" → ");
    const saved = 1 - of(total, 2) / of(total, 1);
    return [
      name,
      both(({ rounds }) => rounds),
      both(({ calls }) => calls),
      both(({ bytes }) => bytes),
      both(({ input }) => input),
      both(({ output }) => output),
      percent(saved),
    ];
  };
  const saved = 1 - sum(total, 2) / sum(total, 1);
  const mean = pairs.reduce((count, [, off, all]) => count + 1 - total(all) / total(off), 0) / pairs.length;
  const worst = Math.max(...pairs.map(([, off, all]) => total(all) / total(off) - 1));
  const verdicts: Verdict[] = [
    {
      goal: "all features save 40 % of the tokens or more",
      value: saved * 100,
      measured: percent(saved),
      met: saved >= 0.4,
    },
    {
      goal: "40 % or more on average, each task counting equally",
      value: mean * 100,
      measured: percent(mean),
      met: mean >= 0.4,
    },
    { goal: "no task costs over 2 % more", value: worst * 100, measured: percent(worst), met: worst <= 0.02 },
  ];
  return {
    group: "tokens",
    name: "tasks with all features off → on",
    about:
      "A scripted model solves tasks in the sources of zod, in a generated service and in a generated project in TypeScript, reacts to what it is shown, and must reach the same answer every time. Input is the sum of all requests, counted with o200k and without any cache. Off: every request lists all tools in full, outputs are not cut, nothing is cleared, edits repeat the old text, the model makes every call itself, and finds references by their text.",
    contenders: [],
    table: [
      ["", "rounds", "calls", "output bytes", "tokens in", "tokens out", "saved"],
      ...pairs.map(([name, off, all]) => row(name, (pick, side) => pick(side === 1 ? off : all))),
      row("all tasks", sum),
    ],
    verdicts,
  };
}

function byFeature(runs: ReadonlyMap<string, readonly Run[]>): CaseResult {
  const all = [...runs.values()];
  const rows = names.map((name, index) => {
    const ratios = all.map((of) => total(of[index + 1]!.cost) / total(of[0]!.cost));
    const off = all.reduce((count, of) => count + total(of[0]!.cost), 0);
    const on = all.reduce((count, of) => count + total(of[index + 1]!.cost), 0);
    return { name, saved: 1 - on / off, best: 1 - Math.min(...ratios), worst: Math.max(...ratios) - 1 };
  });
  return {
    group: "tokens",
    name: "each feature alone",
    about: `The same tasks with one feature on, compared with all off. ${names.map((name) => `${name}: ${features[name]}`).join("; ")}.`,
    contenders: [],
    table: [
      ["", "saved", "most on a task", "most lost on a task"],
      ...rows.map(({ name, saved, best, worst }) => [
        name,
        percent(saved),
        percent(best),
        percent(Math.max(0, worst)),
      ]),
    ],
    verdicts: rows.map(({ name, worst }) => ({
      goal: `${name}: no task costs over 2 % more`,
      value: worst * 100,
      measured: percent(worst),
      met: worst <= 0.02,
    })),
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}
