import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { asToolError, errnoOf, programUnavailable, throwIfAborted } from "../../failures.ts";
import { OutputStream } from "./output-stream.ts";

// How long a program may take to clean up after SIGTERM.
const graceMs = 2000;

// How long what a finished program has left in its pipes is waited for.
const drainMs = 100;

/** Starts a program without a shell, as the leader of its own group, with nothing to read. */
export async function startProcess(
  file: string,
  options: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<RunningProcess> {
  throwIfAborted(options.signal);
  const child = spawn(file, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<ProcessExit>((resolve) => {
    child.on("exit", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  await hasStarted(child, file);
  const stdout = new OutputStream(child.stdout);
  const stderr = new OutputStream(child.stderr);
  const group = child.pid!;
  let forced: NodeJS.Timeout | undefined;
  const terminate = () => {
    kill(group, "SIGTERM");
    forced = setTimeout(() => kill(group, "SIGKILL"), graceMs);
  };
  options.signal.addEventListener("abort", terminate, { once: true });
  void exit.then(() => {
    options.signal.removeEventListener("abort", terminate);
    if (!isAlive(group)) clearTimeout(forced);
    stdout.endSoon(drainMs);
    stderr.endSoon(drainMs);
  });
  if (options.signal.aborted) terminate();
  return { stdout, stderr, exit, stop: () => kill(group, "SIGKILL") };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

async function hasStarted(child: Child, file: string): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? programUnavailable(file) : asToolError(error, file);
  }
}

/** Ends a whole group; no error if it is gone. */
function kill(group: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already.
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
