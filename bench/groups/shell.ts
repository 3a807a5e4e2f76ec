import { exec, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { confinedWorkspace as cwd, makeConfinedWorkspace, openConfined } from "../confined.ts";
import type { CaseResult, Contender, Group } from "../harness.ts";
import { importPeer } from "../peers.ts";

const line = "2026-11-15 12:00:00 INFO a line as logs have them, with some words and the number 42";
const gigabyte = `yes "${line}" | head -c ${2 ** 30}`;

// Holds the pipe in a separate session, and ignores SIGTERM.
const leavesChild = `setsid bash -c 'trap "" TERM; sleep 60' & true`;

const levels: readonly SandboxLevel[] = ["none", "landlock", "bwrap"];

/** Measures the cost of commands run for an agent, and limits for commands that print too much or do not end. */
export const group: Group = {
  needs: [],
  prepare: makeConfinedWorkspace,
  run: async function* ({ only }) {
    const name = "50 commands at once";
    if (!name.includes(only)) return;
    for (const level of levels) yield manyAtOnce(`${name}, ${level}`, level);
  },
  cases: [
    {
      name: "1 GB of output",
      about:
        "shell.run of a command that prints 1 GB, both ends shown and the first part kept, against the same through Node to /dev/null. Memory is that of the process after its first call.",
      rounds: 1,
      warmUpRounds: 0,
      goals: [
        { measure: "minMs", timesReference: 2 },
        { measure: "peakMb", atMostMb: 64 },
      ],
      contenders: {
        "through Node to /dev/null": () => ({ run: pipeToNothing }),
        toolcrib: () => calling("bwrap", gigabyte, { warmUp: "seq 1 100000" }),
        "toolcrib, none": () => calling("none", gigabyte, { warmUp: "seq 1 100000" }),
      },
    },
    {
      name: "a grandchild keeps the pipe",
      about:
        "shell.run of a command that leaves a process in a session of its own which holds its output and heeds no SIGTERM, for 60 s; against `true`.",
      rounds: 10,
      warmUpRounds: 1,
      goals: levels.map((level) => ({
        of: `toolcrib, ${level}`,
        measure: "p50Ms",
        overReferenceUs: 300_000,
      })),
      contenders: {
        "toolcrib, true": () => calling("bwrap", "true"),
        "toolcrib, none": () => calling("none", leavesChild),
        "toolcrib, landlock": () => calling("landlock", leavesChild),
        "toolcrib, bwrap": () => calling("bwrap", leavesChild),
      },
    },
    {
      name: "a command that does nothing",
      about:
        "`true` in bash: by Node, by execa, and by shell.run, which judges, confines and records it and looks at the workspace before and after.",
      rounds: 40,
      goals: [],
      contenders: {
        "child_process.exec": () => ({
          run: () => promisify(exec)("true", { cwd, shell: "/bin/bash" }).then(() => "exit 0"),
        }),
        execa: async () => {
          const { execa } = await importPeer("execa", "index.js");
          const run = async () => `exit ${(await execa("bash", ["-c", "true"], { cwd })).exitCode}`;
          return { run };
        },
        toolcrib: () => calling("bwrap", "true"),
        "toolcrib, landlock": () => calling("landlock", "true"),
        "toolcrib, none": () => calling("none", "true"),
      },
    },
    {
      name: "a command in a shell that stays",
      about: "`true` in a named session, in the same sandbox, against a new shell for the command.",
      rounds: 40,
      goals: [],
      contenders: {
        "toolcrib, a new shell": () => calling("bwrap", "true"),
        toolcrib: () => calling("bwrap", "true", { session: "bench" }),
      },
    },
    {
      name: "a server, from its start to its end",
      about: "A process that says that it is ready and waits: started, seen to be ready, ended.",
      rounds: 15,
      goals: [],
      contenders: {
        "spawn of Node": () => ({ run: serveByNode }),
        toolcrib: () => serving("bwrap"),
        "toolcrib, landlock": () => serving("landlock"),
        "toolcrib, none": () => serving("none"),
      },
    },
  ],
};

async function pipeToNothing(): Promise<string> {
  const child = spawn("bash", ["-c", gigabyte], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  const [[code]] = await Promise.all([
    once(child, "exit"),
    pipeline(child.stdout, createWriteStream("/dev/null")),
  ]);
  return `exit ${code}`;
}

async function calling(
  level: SandboxLevel,
  command: string,
  { warmUp, session }: { warmUp?: string; session?: string } = {},
): Promise<Contender> {
  const subject = await openConfined(level);
  if (warmUp !== undefined) await subject.call("shell.run", { command: warmUp });
  const input = { command, ...(session === undefined ? {} : { session }) };
  return {
    run: async () => {
      const { data } = await subject.call("shell.run", input);
      const { exitCode, sandbox } = data as { exitCode: number; sandbox: SandboxLevel };
      if (sandbox !== level) throw new Error(`ran at level ${sandbox}`);
      return `exit ${exitCode}`;
    },
    close: subject.close,
  };
}

const server = "echo ready; exec sleep 60";

async function serveByNode(): Promise<string> {
  const child = spawn("bash", ["-c", server], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  child.kill();
  const [, signal] = await once(child, "exit");
  return signal;
}

async function serving(level: SandboxLevel): Promise<Contender> {
  const subject = await openConfined(level);
  return {
    run: async () => {
      const started = await subject.call("process.start", { command: server, ready: { line: "ready" } });
      const { name } = started.data as { name: string };
      const { data } = await subject.call("process.stop", { name });
      return (data as { signal: string }).signal;
    },
    close: subject.close,
  };
}

/** Each must answer with its own text and its own exit code. */
async function manyAtOnce(name: string, level: SandboxLevel): Promise<CaseResult> {
  const subject = await openConfined(level);
  const commands = 50;
  const rounds = 5;
  let right = 0;
  const begun = performance.now();
  for (let round = 0; round < rounds; round++) {
    const answers = await Promise.allSettled(
      Array.from({ length: commands }, async (_, number) => {
        const command = `for i in 1 2 3; do echo ${number} $i; sleep 0.01; done; exit ${number}`;
        const { data } = await subject.call("shell.run", { command });
        const { exitCode, stdout } = data as { exitCode: number; stdout: string };
        const expected = [1, 2, 3].map((line) => `${number} ${line}`).join("\n");
        return exitCode === number && stdout.trimEnd() === expected;
      }),
    );
    right += answers.filter((answer) => answer.status === "fulfilled" && answer.value).length;
  }
  const tookMs = (performance.now() - begun) / rounds;
  await subject.close();
  const all = commands * rounds;
  return {
    group: "shell",
    name,
    about: `${commands} calls of shell.run at once, ${rounds} times: each answers with what it alone has printed, and its own exit code.`,
    contenders: [],
    table: [
      ["", "right", "all 50, ms"],
      ["toolcrib", `${right} of ${all}`, tookMs.toFixed(0)],
    ],
    verdicts: [{ goal: `${all} of ${all} right`, value: right, measured: `${right}`, met: right === all }],
  };
}
