import { fork } from "node:child_process";
import { once } from "node:events";
import { installAgents } from "../agent/agents.ts";
import { kinds } from "../agent/clients.ts";
import type { LoopFigures, LoopReport } from "../agent/loop.ts";
import { writeProject } from "../agent/project.ts";
import { Stage } from "../agent/stage.ts";
import { type CaseResult, type Contender, type Group, shortNumber, type Verdict } from "../harness.ts";
import { buildAndInstall } from "./start.ts";

const peers = ["pi, openai", "codex, openai, by commands", "opencode, openai-chat"];

/** Agents as programs, with a provider on this machine that answers at once, so that all measured time is theirs. */
export const group: Group = {
  needs: [],
  prepare: () => {
    buildAndInstall();
    writeProject();
    installAgents();
  },
  cases: [
    ...kinds.map((kind) => ({
      name: `from the start to the first request, ${kind}`,
      about:
        "A new process, in a git repository of one file. The reference is a script of 60 lines on the same library with one tool: it asks at once.",
      rounds: 15,
      goals: [{ measure: "p50Ms" as const, timesReference: 1.4, of: `toolcrib, ${kind}` }],
      contenders: startingAll([`bare AI SDK, ${kind}`, `toolcrib, ${kind}`]),
    })),
    {
      name: "from the start to the first request, other agents",
      about: "The same of agents that npm offers.",
      rounds: 5,
      warmUpRounds: 1,
      goals: [],
      contenders: startingAll(["bare AI SDK, openai", "toolcrib, openai", ...peers]),
    },
  ],
  run: async function* ({ only }) {
    for (const kind of kinds) {
      const name = `500 rounds, ${kind}`;
      if (name.includes(only)) yield await compareLoops(name, kind);
    }
    const name = "500 rounds, other agents";
    if (name.includes(only)) yield await compareOthers(name);
  },
};

function startingAll(names: readonly string[]): Record<string, () => Promise<Contender>> {
  return Object.fromEntries(names.map((name) => [name, () => starting(name)]));
}

async function starting(name: string): Promise<Contender> {
  let reportRequests = () => {};
  const stage = await Stage.open(name, ({ number }) => {
    if (number === 1) reportRequests();
    return { text: "Done." };
  });
  let ended: Promise<void>;
  return {
    run: async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      reportRequests = resolve;
      ended = stage.start().ended;
      ended.catch(reject);
      await promise;
    },
    settle: () => ended,
    close: () => stage.close(),
  };
}

const about =
  "`toolcrib run` as installed: one file read a round, the history sent again each time. gap: from the end of a reply to the arrival of the next request, taken at the provider, which is a process of its own. cpu: of the agent and all that it starts. late: rounds 451–500 as a multiple of rounds 26–75. Memory is resident, at the first request and at its most. Each runs three times in turn; a figure is the best of them.";

async function compareLoops(name: string, kind: (typeof kinds)[number]): Promise<CaseResult> {
  const ours = `toolcrib, ${kind}`;
  const found = await loopAll([`bare AI SDK, ${kind}`, ours], 3);
  return {
    group: "agent",
    name,
    about,
    contenders: [],
    table: tableOf(found),
    verdicts: judge(found.get(ours)!),
  };
}

async function compareOthers(name: string): Promise<CaseResult> {
  const found = await loopAll(["toolcrib, openai", "toolcrib, openai, by commands", ...peers], 1);
  const missing = [...found].filter(([, report]) => "failure" in report);
  return {
    group: "agent",
    name,
    about:
      "The same of agents that npm offers, once each. codex has no tool that reads files: it runs commands, and so does Toolcrib in the row of that name, without a sandbox as codex here.",
    contenders: [],
    table: tableOf(found),
    verdicts: [
      {
        goal: "all of them were measured",
        measured: missing.length === 0 ? "yes" : `not ${missing.map(([client]) => client).join("; ")}`,
        met: missing.length === 0,
      },
    ],
  };
}

async function loopAll(names: readonly string[], times: number): Promise<ReadonlyMap<string, LoopReport>> {
  const found = new Map<string, LoopReport>();
  for (let time = 0; time < times; time++) {
    for (const name of names) {
      const report = await loop(name);
      if ("failure" in report) process.stderr.write(`agent: ${name} failed: ${report.failure}\n`);
      found.set(name, better(found.get(name), report));
    }
  }
  return found;
}

async function loop(name: string): Promise<LoopReport> {
  const child = fork(new URL("../agent/loop.ts", import.meta.url), [name]);
  const limit = setTimeout(() => child.kill(), longestMs);
  const [report] = await Promise.race([once(child, "message"), once(child, "exit")]);
  clearTimeout(limit);
  return typeof report === "object" && report !== null ? report : { failure: "it took too long" };
}

const longestMs = 300_000;

function better(before: LoopReport | undefined, now: LoopReport): LoopReport {
  if (before === undefined || "failure" in before) return now;
  if ("failure" in now) return before;
  const best = (Object.keys(now.figures) as (keyof LoopFigures)[]).map((key) => {
    return [key, Math.min(before.figures[key], now.figures[key])];
  });
  return { figures: Object.fromEntries(best) };
}

function tableOf(found: ReadonlyMap<string, LoopReport>): readonly (readonly string[])[] {
  const [first] = found.values();
  const reference = first && "figures" in first ? first.figures : undefined;
  const times = (value: number, measure: "gapMs" | "cpuMs") =>
    reference ? shortNumber(value / reference[measure]) : "";
  const rows = [...found].map(([name, report]) => {
    if ("failure" in report)
      return [name, `NOT MEASURED: ${report.failure.replaceAll(/\s+/g, " ").slice(0, 300)}`];
    const { rounds, gapMs, cpuMs, lateCpu, lateGap, startMs, firstMb, peakMb, kilobytes } = report.figures;
    return [
      name,
      String(rounds),
      ...[shortNumber(gapMs), times(gapMs, "gapMs"), shortNumber(cpuMs), times(cpuMs, "cpuMs")],
      ...[shortNumber(lateCpu), shortNumber(lateGap), shortNumber(startMs)],
      ...[shortNumber(firstMb), shortNumber(peakMb), shortNumber(kilobytes)],
    ];
  });
  const head = ["", "rounds", "gap p50 ms", "× gap", "cpu ms", "× cpu", "× late cpu", "× late gap"];
  return [[...head, "start ms", "first MB", "peak MB", "last request KB"], ...rows];
}

function judge(ours: LoopReport): readonly Verdict[] {
  const goals: readonly (readonly [string, number, string, (figures: LoopFigures) => number])[] = [
    ["gap p50 ≤ 8 ms", 8, "ms", ({ gapMs }) => gapMs],
    ["cpu ≤ 8 ms a round", 8, "ms", ({ cpuMs }) => cpuMs],
    ["memory grows by ≤ 120 MB", 120, "MB", ({ firstMb, peakMb }) => peakMb - firstMb],
    ["round 500 costs ≤ 1.5 × round 50, cpu", 1.5, "×", ({ lateCpu }) => lateCpu],
  ];
  return goals.map(([goal, limit, unit, figure]) => {
    if ("failure" in ours) return { goal, measured: "not measured", met: false };
    const value = figure(ours.figures);
    return { goal, value, measured: `${shortNumber(value)} ${unit}`, met: value <= limit };
  });
}
