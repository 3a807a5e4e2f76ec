import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Duplex } from "node:stream";
import type { SandboxLevel } from "../../../contract/account.ts";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { throwIfAborted } from "../../../text/breath.ts";
import { asToolError, errnoOf, programUnavailable } from "../../failures.ts";
import type { PreparedLaunch } from "../../sandbox/sandbox.ts";
import { OutputStream } from "./output-stream.ts";
import type { ProcessGroup, ProcessGroups } from "./process-groups.ts";

export interface StartProcessOptions {
  readonly launch: PreparedLaunch;
  readonly sandbox: SandboxLevel;
  readonly input: Uint8Array | "open" | undefined;
  readonly signal: AbortSignal;
  readonly groups: ProcessGroups;
}

/** Starts a program without a shell, as the leader of its own group. */
export async function startProcess(options: StartProcessOptions): Promise<RunningProcess> {
  const { launch, signal } = options;
  try {
    throwIfAborted(signal);
  } catch (error) {
    await launch.finished();
    throw error;
  }
  const { child, exit, group } = await spawned(options);
  const stdout = new OutputStream(child.stdout!);
  const stderr = new OutputStream(child.stderr!);
  if (options.input !== "open") giveInput(child, options.input);
  const terminate = () => group.terminate();
  signal.addEventListener("abort", terminate, { once: true });
  if (signal.aborted) terminate();
  void exit.then(() => {
    signal.removeEventListener("abort", terminate);
    stdout.endSoon();
    stderr.endSoon();
  });
  return {
    stdout,
    stderr,
    exit,
    pid: child.pid!,
    sandbox: options.sandbox,
    write: async (bytes) => void child.stdin?.write(bytes),
    endInput: () => void child.stdin?.end(),
    waitsForInput: () => undefined,
    reach: (port) => launch.reach(port),
    terminate,
    stop: () => group.kill(),
  };
}

/** A program need not read what it is given. */
function giveInput({ stdin }: ChildProcess, input: Uint8Array | undefined): void {
  stdin?.on("error", () => {});
  stdin?.end(input);
}

interface Spawned {
  readonly child: ChildProcess;
  readonly exit: Promise<ProcessExit>;
  readonly group: ProcessGroup;
}

async function spawned({ launch, input, groups }: StartProcessOptions): Promise<Spawned> {
  let finished: Promise<readonly string[]> | undefined;
  const finish = () => (finished ??= launch.finished());
  try {
    const child = spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: { ...launch.env },
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...launch.descriptors.map(inherited)],
    });
    const exit = new Promise<ProcessExit>((resolve) => {
      child.once("exit", async (code, killedBy) =>
        resolve({ code: code ?? undefined, signal: killedBy ?? undefined, remarks: await finish() }),
      );
    });
    const isSpawned = once(child, "spawn");
    isSpawned.catch(() => {});
    // Without a number nothing was started, and what comes says why.
    const group = child.pid === undefined ? undefined : groups.open(child.pid, exit);
    await isSpawned;
    child.on("error", () => {});
    const channels = child.stdio.slice(3).filter((stream) => stream !== null) as unknown as Duplex[];
    try {
      await launch.started({ pid: child.pid!, channels });
    } catch (error) {
      group?.kill();
      await exit;
      throw error;
    }
    return { child, exit, group: group! };
  } catch (error) {
    await finish();
    throw errnoOf(error) === "ENOENT" ? programUnavailable(launch.file) : asToolError(error, launch.file);
  } finally {
    for (const descriptor of launch.descriptors) if (descriptor !== "channel") closeSync(descriptor);
  }
}

function inherited(descriptor: number | "channel"): number | "pipe" {
  return descriptor === "channel" ? "pipe" : descriptor;
}
