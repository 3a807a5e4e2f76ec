import { execFileSync, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataPath, workDirectory } from "../data/data.ts";
import { tenKilobyteFile } from "../data/tree.ts";
import type { Contender, Group } from "../harness.ts";
import { peerProgram } from "../peers.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const installed = join(workDirectory, "installed", "toolcrib");
export const launcher: string = join(installed, "bin", "toolcrib.js");
const call = [
  launcher,
  "call",
  "file.read",
  ...["--path", tenKilobyteFile, "--limit", "20", "--json", "--workspace", dataPath("ten-kilobytes")],
];

/** Measures the time from the command to its output, with the installed package. */
export const group: Group = {
  needs: ["ten-kilobytes"],
  prepare: buildAndInstall,
  cases: [
    {
      name: "the version",
      about: "`--version` from start to exit, as installed.",
      rounds: 25,
      goals: [{ measure: "cpuMs", timesReference: 1.1 }],
      contenders: {
        "node -e 0": () => toExit(["-e", "0"]),
        toolcrib: () => toExit([launcher, "--version"]),
      },
    },
    {
      name: "the version, peers",
      about: "`--version` of agents that are Node programs, too.",
      rounds: 5,
      warmUpRounds: 1,
      goals: [],
      contenders: {
        "node -e 0": () => toExit(["-e", "0"]),
        "pi-coding-agent": () =>
          toExit([peerProgram("@mariozechner/pi-coding-agent", "dist/cli.js"), "--version"]),
        "gemini-cli": () => toExit([peerProgram("@google/gemini-cli", "bundle/gemini.js"), "--version"]),
      },
    },
    {
      name: "a call of file.read, to its end",
      about:
        "`toolcrib call file.read … --json` from start to exit, journal written. For information: the goal is for the first result, below.",
      rounds: 25,
      goals: [],
      contenders: { "node -e 0": () => toExit(["-e", "0"]), toolcrib: () => toExit(call) },
    },
    {
      name: "a call of file.read, to the first byte",
      about: "The same up to the first byte of the answer; the reference runs to its end. Compare p50 only.",
      rounds: 25,
      goals: [{ measure: "p50Ms", timesReference: 1.5 }],
      contenders: { "node -e 0": () => toExit(["-e", "0"]), toolcrib: () => toFirstByte(call) },
    },
  ],
};

/** A package without its source, as npm installs it. A clone checks its source first and takes longer. */
export function buildAndInstall(): void {
  execFileSync(process.execPath, [join(repository, "scripts", "build.ts")], { stdio: ["ignore", 2, 2] });
  rmSync(installed, { recursive: true, force: true });
  for (const part of ["bin", "dist", "package.json"]) {
    cpSync(join(repository, part), join(installed, part), { recursive: true });
  }
}

function toExit(args: readonly string[]): Contender {
  return { run: () => start(args).ended };
}

function toFirstByte(args: readonly string[]): Contender {
  let ended: Promise<unknown>;
  return {
    run: () => {
      const started = start(args);
      ended = started.ended;
      return started.answered;
    },
    settle: () => ended,
  };
}

function start(args: readonly string[]) {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TOOLCRIB_HOME: join(workDirectory, "state") },
  });
  child.stdout.on("data", () => answer());
  child.on("close", (code) => (code === 0 ? end() : fail(new Error(`${args[0]} ended with ${code}`))));
  ended.catch(() => answer());
  return { answered, ended };
}
