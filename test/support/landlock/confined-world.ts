import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Confinement } from "../../../src/contract/confinement.ts";
import { openLandlock } from "../../../src/sandbox/landlock/open-landlock.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly remarks: readonly string[];
}

/** A workspace, a folder outside it, and a Landlock sandbox for commands. */
export interface ConfinedWorld {
  readonly workspace: string;
  readonly outside: string;
  readonly directory: string;
  readonly sandbox: Sandbox;
  run(command: string, options?: RunOptions): Promise<Ran>;
  close(): Promise<void>;
}

export interface RunOptions {
  readonly confinement?: Confinement;
  readonly env?: Readonly<Record<string, string>>;
  readonly reachable?: boolean;
  readonly file?: string;
}

export async function openConfinedWorld(
  options: { readonly versionAtMost?: number; readonly name?: string } = {},
): Promise<ConfinedWorld> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib landlock ")));
  const [workspace, outside, directory] = ["work space", "outside", "state"].map((name) => join(base, name));
  for (const folder of [workspace!, outside!, directory!]) mkdirSync(folder);
  const opened = await openLandlock({
    workspace: workspace!,
    directory: directory!,
    findProgram: async (name) => `/usr/bin/${name}`,
    ...options,
  });
  if ("missing" in opened) {
    rmSync(base, { recursive: true });
    throw new Error(opened.missing);
  }
  return {
    workspace: workspace!,
    outside: outside!,
    directory: directory!,
    sandbox: opened,
    run: (command, options) => run(opened, workspace!, command, options),
    close: async () => {
      await opened.close();
      rmSync(base, { recursive: true });
    },
  };
}

async function run(sandbox: Sandbox, cwd: string, command: string, options: RunOptions = {}): Promise<Ran> {
  const prepared = await sandbox.prepare({
    file: options.file ?? "/bin/bash",
    args: ["--noprofile", "--norc", "-c", command],
    cwd,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...options.env },
    confinement: options.confinement ?? {},
    reachable: options.reachable ?? false,
  });
  const child = spawn(prepared.file, prepared.args, {
    env: { ...prepared.env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const output = Promise.all([text(child.stdout!), text(child.stderr!)]);
  try {
    await prepared.started({
      pid: child.pid!,
      channels: [child.stdio[3] as unknown as Duplex],
      kill: () => child.kill("SIGKILL"),
    });
    const [code, [stdout, stderr]] = await Promise.all([exit, output]);
    return { code, stdout, stderr, remarks: await prepared.finished() };
  } catch (error) {
    await exit;
    await prepared.finished();
    throw error;
  }
}
