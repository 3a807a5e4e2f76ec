import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { workspaceFiles } from "../../src/system/directories.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../src/toolcrib/index.ts";
import { snapshot } from "./environment/change-world.ts";
import type { RealTarget } from "./remote/real-targets.ts";

/** A workspace on this machine or a target whose Toolcrib is killed, and then opened again. */
export interface KilledWorkspace {
  /** The files of the workspace now. */
  now(): ReturnType<typeof snapshot>;
  /** The journal, which is on this machine. */
  readonly journal: string;
  /** Starts a bundled program with the arguments: the folder of state and config, `how`, and where it works, as JSON. */
  start(program: string, how: string): ChildProcess;
  open(options?: ToolcribOptions): Promise<Toolcrib>;
}

/** Creates a workspace with these files in a folder of this machine, or in the folder of a target. */
export function killedWorkspace(
  folder: string,
  files: Readonly<Record<string, string>>,
  on?: RealTarget,
): KilledWorkspace {
  const home = mkdtempSync(join(folder, "world "));
  const workspace = on === undefined ? join(home, "workspace") : mkdtempSync(join(on.here, "killed-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const name = on && `${on.name}:${workspace.replace(on.here, on.folder)}`;
  const where = name === undefined ? { workspace } : ({ target: name, sandbox: "none" } as const);
  const env = { ...process.env, ...on?.env };
  return {
    now: () => snapshot(workspace),
    journal: workspaceFiles(join(home, "state"), name ?? workspace).journal,
    start: (program, how) =>
      spawn(process.execPath, [program, home, how, JSON.stringify(where)], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      }),
    open: (options) =>
      withVariables(on?.env ?? {}, () =>
        openToolcrib({
          ...where,
          ...{ stateDirectory: join(home, "state"), configDirectory: join(home, "config"), mode: "yolo" },
          ...options,
        }),
      ),
  };
}

/** Kills a program some time after its first output. Returns its whole output. */
export async function killAfterOutput(program: ChildProcess, afterMs: number): Promise<string> {
  const exit = once(program, "exit");
  const output = text(program.stdout!);
  await Promise.race([once(program.stdout!, "data"), exit]);
  await pause(afterMs);
  program.kill("SIGKILL");
  expect((await exit)[1]).toBe("SIGKILL");
  return output;
}

/** Opens a connection with these variables, which a program of this process inherits. */
async function withVariables<Result>(env: NodeJS.ProcessEnv, open: () => Promise<Result>): Promise<Result> {
  const own = { ...process.env };
  Object.assign(process.env, env);
  try {
    return await open();
  } finally {
    for (const name of Object.keys(env)) if (!(name in own)) delete process.env[name];
    Object.assign(process.env, own);
  }
}
