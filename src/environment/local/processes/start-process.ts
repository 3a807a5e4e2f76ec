import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { throwIfAborted } from "../../../text/breath.ts";
import { asToolError, errnoOf, programUnavailable } from "../../failures.ts";
import { OutputStream } from "./output-stream.ts";
import type { ProcessGroup, ProcessGroups } from "./process-groups.ts";

/** Starts a program without a shell, as the leader of its own group. */
export async function startProcess(
  file: string,
  options: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input: Uint8Array | undefined;
    readonly signal: AbortSignal;
    readonly groups: ProcessGroups;
  },
): Promise<RunningProcess> {
  const { signal } = options;
  throwIfAborted(signal);
  const { child, exit, group } = await spawned(file, options);
  const stdout = new OutputStream(child.stdout!);
  const stderr = new OutputStream(child.stderr!);
  giveInput(child, options.input);
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
    sandbox: "none",
    write: async () => {},
    endInput: () => {},
    waitsForInput: () => undefined,
    reach: async (port) => ({ host: "127.0.0.1", port }),
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

async function spawned(
  file: string,
  options: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input: Uint8Array | undefined;
    readonly groups: ProcessGroups;
  },
): Promise<Spawned> {
  try {
    const child = spawn(file, options.args, {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const exit = new Promise<ProcessExit>((resolve) => {
      child.once("exit", (code, killedBy) =>
        resolve({ code: code ?? undefined, signal: killedBy ?? undefined, remarks: [] }),
      );
    });
    const isSpawned = once(child, "spawn");
    isSpawned.catch(() => {});
    // Without a number nothing was started, and what comes says why.
    const group = child.pid === undefined ? undefined : options.groups.open(child.pid, exit);
    await isSpawned;
    child.on("error", () => {});
    return { child, exit, group: group! };
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? programUnavailable(file) : asToolError(error, file);
  }
}
