import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, closeSync, constants } from "node:fs";
import type { Duplex, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { SandboxLevel } from "../../../contract/call.ts";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import type { LimitWatch } from "../../../sandbox/limits/limit-watch.ts";
import type { PreparedLaunch } from "../../../sandbox/sandbox.ts";
import { asToolError, errnoOf, programUnavailable } from "../../../system/file-errors.ts";
import type { ProcessInfo } from "../../../system/process-identity.ts";
import { ProcessTree } from "../../../system/process-tree.ts";
import { leakedDescriptors, listensOn, nothingToInherit, waitsForInput } from "./inspect-process.ts";
import { type OutputPipe, OutputStream } from "./output-stream.ts";
import { Run } from "./run-records.ts";
import type { Runs } from "./runs.ts";

export interface ProcessStart {
  readonly launch: PreparedLaunch;
  readonly sandbox: SandboxLevel;
  readonly input: Uint8Array | "open" | undefined;
  /** For stdout and stderr. Default: sockets. */
  readonly outputs: readonly [OutputPipe, OutputPipe] | undefined;
  readonly signal: AbortSignal;
  /** Enforces its limits; a built-in program has none. */
  readonly watch: LimitWatch | undefined;
  /** In its environment, and announced. */
  readonly mark: string;
  readonly runs: Runs;
  /** For its exit. */
  readonly remarks: readonly string[];
}

/** Starts a program without a shell, as the leader of its own group. */
export async function startProcess(start: ProcessStart): Promise<RunningProcess> {
  const { launch, signal, watch } = start;
  const child = await spawned(start);
  const pid = child.pid!;
  const run = new Run(new ProcessTree([start.mark], pid), launch);
  const input = new ProcessInput(child.stdin);
  const stdout = new OutputStream(start.outputs?.[0].readEnd ?? child.stdout!, (bytes) =>
    watch?.takeOutput(bytes),
  );
  const stderr = new OutputStream(start.outputs?.[1].readEnd ?? child.stderr!, (bytes) => {
    watch?.takeOutput(bytes);
    watch?.takeError(bytes);
  });
  const terminate = () => run.terminate();
  const exit = ended(child, run, start, () => {
    input.close();
    stdout.endSoon();
    stderr.endSoon();
    signal.removeEventListener("abort", terminate);
  });
  start.runs.watch(run, start.mark, exit);
  watch?.begin(run);
  signal.addEventListener("abort", terminate, { once: true });
  if (signal.aborted) terminate();
  try {
    await launch.started({ pid, channels: channelsOf(child), kill: () => run.kill() });
  } catch (error) {
    run.kill();
    await exit;
    throwIfAborted(signal);
    throw await failedSandbox(error, launch.file, stderr);
  }
  if (start.input !== "open") input.end(start.input);
  return {
    stdout,
    stderr,
    exit,
    pid,
    sandbox: start.sandbox,
    write: (bytes) => input.write(bytes),
    endInput: () => input.end(),
    waitsForInput: () => waitsForInput(run.members(), pid),
    reach: async (port) => {
      // On the machine's own network the server of another process would answer as well.
      const isOurs = start.sandbox === "bwrap" || (await listensOn(port, () => numbersOf(run.members())));
      return isOurs === false ? undefined : launch.reach(port);
    },
    settle: async () => (await launch.settle?.()) ?? [],
    uncovered: async () => launch.uncovered?.(),
    terminate,
    stop: () => run.kill(),
  };
}

function numbersOf(members: readonly ProcessInfo[]): readonly number[] {
  return members.map(({ pid }) => pid);
}

async function spawned(start: ProcessStart): Promise<ChildProcess> {
  const { launch, input, outputs, signal, watch, mark, runs } = start;
  let nothing: number | undefined;
  try {
    throwIfAborted(signal);
    if (leakedDescriptors(3 + launch.descriptors.length).length > 0) nothing = nothingToInherit();
    const { file, args } = watch === undefined ? launch : held(launch, watch);
    const child = spawn(file, args, {
      cwd: launch.cwd,
      env: { ...launch.env },
      detached: true,
      stdio: withoutLeaks(
        [
          input === undefined ? "ignore" : "pipe",
          outputs?.[0].writeEnd ?? "pipe",
          outputs?.[1].writeEnd ?? "pipe",
          ...launch.descriptors.map(inherited),
        ],
        nothing,
      ),
    });
    // Without a number nothing was started, and what comes says why.
    if (child.pid === undefined) await once(child, "spawn");
    child.on("error", () => {});
    return child;
  } catch (error) {
    for (const { readEnd, release } of outputs ?? []) {
      readEnd.destroy();
      release();
    }
    await launch.finished();
    watch?.finish();
    runs.forget(mark);
    throw errnoOf(error) === "ENOENT" ? programUnavailable(launch.file) : asToolError(error, launch.file);
  } finally {
    for (const descriptor of launch.descriptors) if (descriptor !== "channel") closeSync(descriptor);
    for (const { writeEnd } of outputs ?? []) closeSync(writeEnd);
    if (nothing !== undefined) closeSync(nothing);
  }
}

/** Checked here, because the shell that starts first could not report that the program is missing. */
function held(launch: PreparedLaunch, watch: LimitWatch): Pick<PreparedLaunch, "file" | "args"> {
  accessSync(launch.file, constants.X_OK);
  return watch.limit(launch);
}

type Inherited = "ignore" | "pipe" | number;

/**
 * Descriptors that leak to every program are replaced before it begins: closing them would be left to its own
 * libraries.
 */
function withoutLeaks(stdio: readonly Inherited[], nothing: number | undefined): Inherited[] {
  const all = [...stdio];
  if (nothing === undefined) return all;
  for (const descriptor of leakedDescriptors(stdio.length)) {
    while (all.length < descriptor) all.push("ignore");
    all[descriptor] = nothing;
  }
  return all;
}

function inherited(descriptor: number | "channel"): number | "pipe" {
  return descriptor === "channel" ? "pipe" : descriptor;
}

function channelsOf({ stdio }: ChildProcess): readonly Duplex[] {
  return stdio.slice(3).filter((stream) => stream !== null && stream !== undefined) as unknown as Duplex[];
}

/** When nothing of it is left: what it has left running is ended. */
function ended(
  child: ChildProcess,
  run: Run,
  { launch, outputs, watch, remarks }: ProcessStart,
  onGone: () => void,
): Promise<ProcessExit> {
  const conclude = async (code: number | null, signal: string | null): Promise<ProcessExit> => {
    const left = await run.settle();
    for (const { release } of outputs ?? []) release();
    const told = await launch.finished();
    const end = howItEnded(code, signal, run, launch);
    // Its last words are read by then.
    await setImmediate();
    const met = watch?.finish(end) ?? [];
    return { ...end, remarks: [...remarks, ...met, ...leftovers(left), ...told] };
  };
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      onGone();
      conclude(code, signal).then(resolve, reject);
    });
  });
}

/** In a process namespace the sandbox reports a signal as shells do: as a code above 128. */
function howItEnded(
  code: number | null,
  signal: string | null,
  run: Run,
  launch: PreparedLaunch,
): Pick<ProcessExit, "code" | "signal"> {
  const sent = launch.endsTogether && run.wasEnded ? sentByUs[code ?? 0] : undefined;
  return sent === undefined
    ? { code: code ?? undefined, signal: signal ?? undefined }
    : { code: undefined, signal: sent };
}

const sentByUs: Readonly<Record<number, string>> = { 137: "SIGKILL", 143: "SIGTERM" };

function leftovers(left: readonly ProcessInfo[]): readonly string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, shownNames).map(({ name, pid }) => `${name} (${pid})`);
  const more = left.length > shownNames ? ` and ${left.length - shownNames} more` : "";
  return [
    `Ended what it had left running: ${names.join(", ")}${more}. ` +
      "What is to go on running needs process.start, in the foreground of its command.",
  ];
}

const shownNames = 5;

/** The sandbox's own output says more than that it failed. */
async function failedSandbox(cause: unknown, file: string, stderr: OutputStream): Promise<ToolError> {
  const { code, message, hint } = asToolError(cause, file);
  let said = "";
  for await (const piece of stderr) {
    said += Buffer.from(piece).toString();
    if (said.length > shownChars) break;
  }
  const reason = said.trim() === "" ? "" : `: ${said.trim().slice(0, shownChars)}`;
  return new ToolError(code, message + reason, { hint, cause });
}

const shownChars = 500;

/** The standard input of a running program. */
class ProcessInput {
  readonly #stream: Writable | undefined;

  /** A program need not read what it is given. */
  constructor(stream: Writable | null) {
    this.#stream = stream ?? undefined;
    this.#stream?.on("error", () => {});
  }

  /** Waits until the system has taken it: a program that reads slowly slows its writer. */
  write(bytes: Uint8Array): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      if (stream === undefined || !stream.writable) reject(readsNoMore());
      else stream.write(bytes, (error) => (error ? reject(readsNoMore(error)) : resolve()));
    });
  }

  end(bytes?: Uint8Array): void {
    this.#stream?.end(bytes);
  }

  /** The program no longer reads: pending writes fail. */
  close(): void {
    this.#stream?.destroy();
  }
}

function readsNoMore(cause?: Error): ToolError {
  return new ToolError("unavailable", "The program reads no more input", {
    hint: "It has ended, has closed its input, or was started with nothing to read.",
    cause,
  });
}
