import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import * as z from "zod/mini";
import type { SandboxLevel } from "../../src/contract/call.ts";
import type { Environment } from "../../src/contract/environment.ts";
import type { Tool } from "../../src/toolcrib/index.ts";
import { makeConfinedWorkspace, openConfined, confinedWorkspace as workspace } from "../confined.ts";
import { dataPath } from "../data/data.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { importPeer, peerProgram } from "../peers.ts";

const project = dataPath("project");

/** Measures the overhead of the sandbox for a command that does nothing. */
export const group: Group = {
  needs: ["project"],
  prepare: makeConfinedWorkspace,
  cases: [
    {
      ...starting(workspace),
      name: "bash -c true",
      about:
        "From the start to the end of a command, in a repository with a secret, confined as shell.run would do it. The plain spawn is made beside an open Toolcrib, too: the larger a process, the longer it takes to start another. The peer runs it without network.",
      goals: [
        { of: "toolcrib, bwrap", measure: "p10Ms", overReferenceUs: 12_000 },
        { of: "toolcrib, landlock", measure: "p10Ms", overReferenceUs: 5000 },
        { of: "toolcrib, bwrap", measure: "p50Ms", overReferenceUs: 12_000 },
        { of: "toolcrib, landlock", measure: "p50Ms", overReferenceUs: 5000 },
      ],
    },
    {
      name: "bash -c true, command lines",
      about:
        "The same by the peers' programs, each with the start of its own. `codex` is run when it is on the path: its package has 436 MB.",
      rounds: 10,
      warmUpRounds: 1,
      goals: [],
      contenders: {
        "spawn of Node": () => plainSpawn(workspace),
        "sandbox-runtime, its program": runtimeProgram,
        "codex sandbox": codexSandbox,
      },
    },
    {
      ...starting(project),
      name: "bash -c true among 17 503 files",
      about: "The same in a large repository, where secrets have been looked for before.",
      goals: [],
    },
    {
      name: "shell.run of true",
      about:
        "The same command as a call through the door: judged, confined, recorded, and the workspace looked at before and after.",
      rounds: 60,
      goals: [],
      contenders: {
        "spawn of Node": () => spawnBeside(workspace),
        "toolcrib, none": () => callOf("none"),
        "toolcrib, landlock": () => callOf("landlock"),
        "toolcrib, bwrap": () => callOf("bwrap"),
      },
    },
  ],
};

function starting(folder: string): Case {
  return {
    name: "",
    about: "",
    rounds: 60,
    goals: [],
    contenders: {
      "spawn of Node": () => spawnBeside(folder),
      "toolcrib, none": () => startOf("none", folder),
      "toolcrib, landlock": () => startOf("landlock", folder),
      "toolcrib, bwrap": () => startOf("bwrap", folder),
      "sandbox-runtime, as a library": () => runtimeLibrary(folder),
    },
  };
}

/** Includes reading the output, as every real caller does. */
function plainSpawn(cwd: string): Contender {
  return { run: () => ended("bash", ["-c", "true"], cwd) };
}

async function ended(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  child.stdout.resume();
  child.stderr.on("data", (bytes) => (printed += bytes));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${printed.trim()}`);
  return `exit ${code}`;
}

async function spawnBeside(folder: string): Promise<Contender> {
  const { run, close } = await startOf("none", folder);
  await run();
  return { ...plainSpawn(folder), close: close! };
}

async function startOf(level: SandboxLevel, folder: string): Promise<Contender> {
  let environment: Environment | undefined;
  const borrowing: Tool<object, null> = {
    name: "bench.borrow",
    description: "Keeps the environment in which commands are confined.",
    risk: "execute",
    input: z.strictObject({}),
    limits: { maxChars: 100, keep: "head" },
    accesses: () => [{ kind: "execute", command: "true" }],
    run: async (_, context) => {
      environment = context.environment;
      return { data: null, text: "" };
    },
  };
  const subject = await openConfined(level, { workspace: folder, tools: [borrowing] });
  await subject.call("bench.borrow", {});
  return {
    run: async () => {
      const { signal } = new AbortController();
      const { stdout, stderr, exit, sandbox } = await environment!.start("bash", {
        args: ["-c", "true"],
        signal,
      });
      const [, , { code }] = await Promise.all([drained(stdout), drained(stderr), exit]);
      if (sandbox !== level) throw new Error(`ran at level ${sandbox}`);
      return `exit ${code}`;
    },
    close: subject.close,
  };
}

async function drained(output: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of output);
}

async function callOf(level: SandboxLevel): Promise<Contender> {
  const subject = await openConfined(level);
  return {
    run: async () => {
      const { data } = await subject.call("shell.run", { command: "true" });
      const { exitCode, sandbox } = data as { exitCode: number; sandbox: SandboxLevel };
      if (sandbox !== level) throw new Error(`ran at level ${sandbox}`);
      return `exit ${exitCode}`;
    },
    close: subject.close,
  };
}

/** It needs ripgrep and socat on the PATH. */
async function runtimeLibrary(folder: string): Promise<Contender> {
  process.env.PATH = withRipgrep();
  process.chdir(folder);
  const { SandboxManager } = await importPeer("@anthropic-ai/sandbox-runtime", "dist/index.js");
  await SandboxManager.initialize(runtimeSettings);
  return {
    run: async () => {
      const command = await SandboxManager.wrapWithSandbox("bash -c true");
      const answer = await ended("/bin/sh", ["-c", command], folder);
      SandboxManager.cleanupAfterCommand?.();
      return answer;
    },
    close: () => SandboxManager.reset(),
  };
}

const runtimeSettings = {
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: ["~/.ssh"], allowWrite: ["."], denyWrite: [".env"] },
};

function runtimeProgram(): Contender {
  process.env.PATH = withRipgrep();
  const program = peerProgram("@anthropic-ai/sandbox-runtime", "dist/cli.js");
  return { run: () => ended(process.execPath, [program, "bash", "-c", "true"], workspace) };
}

function codexSandbox(): Contender {
  const isHere = (process.env.PATH ?? "")
    .split(delimiter)
    .some((folder) => existsSync(join(folder, "codex")));
  if (!isHere) throw new Error("not run here: `codex` is not on the path (npm install -g @openai/codex)");
  return { run: () => ended("codex", ["sandbox", "--", "bash", "-c", "true"], workspace) };
}

function withRipgrep(): string {
  return `${dirname(rgPath)}${delimiter}${process.env.PATH}`;
}
