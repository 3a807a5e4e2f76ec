import { once } from "node:events";
import { accessSync, closeSync, constants, openSync } from "node:fs";
import type { Duplex, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { SandboxLevel } from "../../../contract/call.ts";
import type { ProcessExit, RunningProcess } from "../../../contract/environment.ts";
import { errorWith, ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { printableLine } from "../../../lib/text/printable.ts";
import type { LimitWatch } from "../../../sandbox/limits/limit-watch.ts";
import type { PreparedLaunch } from "../../../sandbox/sandbox.ts";
import { asToolError, errnoOf, programUnavailable } from "../../../system/file-errors.ts";
import type { ProcessInfo } from "../../../system/process-identity.ts";
import { ProcessTree } from "../../../system/process-tree.ts";
import { type ChildProcess, startProgram } from "../../../system/start-program.ts";
import { probeServer } from "../../probe-server.ts";
import { leakedDescriptors, listensOn, streamsOf, waitsForInput } from "./inspect-process.ts";
import { type OutputPipe, OutputStream } from "./output-stream.ts";
import { Run } from "./run-records.ts";
import type { Runs } from "./runs.ts";

interface ProcessStart {
  readonly launch: PreparedLaunch;
  readonly sandbox: SandboxLevel;
  readonly input: Uint8Array | "open" | undefined;
  /** Pipes for stdout and stderr. Default: sockets. */
  readonly outputs: readonly [OutputPipe, OutputPipe] | undefined;
  readonly signal: AbortSignal;
  /** Enforces the limits of the program. A built-in program has none. */
  readonly watch: LimitWatch | undefined;
  /** The mark of the run, which is announced and which its processes inherit. */
  readonly mark: string;
  readonly runs: Runs;
  readonly graceMs: number | undefined;
  readonly remarks: readonly string[];
}

/** Starts a program as the leader of its own process group. */
export async function startProcess(start: ProcessStart): Promise<RunningProcess> {
  const { launch, signal, watch, graceMs } = start;
  const child = await spawned(start);
  const pid = child.pid!;
  const run = new Run(new ProcessTree([start.mark], pid), { endsTogether: launch.endsTogether, graceMs });
  const input = new ProcessInput(child.stdin);
  const [out, err] = start.outputs?.map(({ readEnd }) => readEnd) ?? [child.stdout!, child.stderr!];
  const stdout = new OutputStream(out!, (bytes) => watch?.takeOutput(bytes));
  const stderr = new OutputStream(err!, (bytes) => {
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
    waitsForInput: async () => waitsForInput(run.members(), streamsOf(pid)),
    answers: async (port, options) => {
      // A server of another process could answer on the same port.
      const pids = () => run.members().map((member) => member.pid);
      if ((await listensOn(port, pids, pid)) === false) return false;
      return probeServer(() => launch.connect(port), options);
    },
    settle: async (isIdle = false) => (await launch.settle?.(isIdle && isChain(run.members()))) ?? [],
    uncovered: async () => launch.uncovered?.(),
    terminate,
    stop: () => run.kill(),
  };
}

/** Whether each process is the only child of another one, except for the first. */
function isChain(members: readonly ProcessInfo[]): boolean {
  const pids = new Set(members.map(({ pid }) => pid));
  const first = members.filter(({ parent }) => !pids.has(parent));
  const parents = new Set(members.map(({ parent }) => parent));
  return first.length === 1 && parents.size === members.length;
}

async function spawned(start: ProcessStart): Promise<ChildProcess> {
  const { launch, input, outputs, signal, watch, mark, runs } = start;
  let nothing: number | undefined;
  try {
    throwIfAborted(signal);
    if (leakedDescriptors(3 + launch.descriptors.length).length > 0) nothing = openSync("/dev/null", "r");
    // The program is checked here, because the shell that sets the limits could not report that it is missing.
    if (watch !== undefined) accessSync(launch.file, constants.X_OK);
    const { file, args } = watch?.limit(launch) ?? launch;
    const child = startProgram(file, args, {
      cwd: launch.cwd,
      env: { ...launch.env },
      detached: true,
      stdio: withoutLeaks(
        [
          input === undefined ? "ignore" : "pipe",
          outputs?.[0].writeEnd ?? "pipe",
          outputs?.[1].writeEnd ?? "pipe",
          ...launch.descriptors.map((descriptor) => (descriptor === "channel" ? "pipe" : descriptor)),
        ],
        nothing,
      ),
    });
    // Without a pid the program was not started, and `once` rejects with the reason.
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

type Inherited = "ignore" | "pipe" | number;

/** Replaces descriptors that would leak to every program, because Node has no option to close them. */
function withoutLeaks(stdio: readonly Inherited[], nothing: number | undefined): Inherited[] {
  const all = [...stdio];
  if (nothing === undefined) return all;
  for (const descriptor of leakedDescriptors(stdio.length)) {
    while (all.length < descriptor) all.push("ignore");
    all[descriptor] = nothing;
  }
  return all;
}

function channelsOf({ stdio }: ChildProcess): readonly Duplex[] {
  return stdio.slice(3).filter((stream) => stream !== null && stream !== undefined) as unknown as Duplex[];
}

/** Waits for the program, then stops the processes that it left running. Resolves when all have ended. */
function ended(
  child: ChildProcess,
  run: Run,
  { launch, outputs, watch, remarks }: ProcessStart,
  onGone: () => void,
): Promise<ProcessExit> {
  const conclude = async (code: number | null, signal: string | null): Promise<ProcessExit> => {
    const left = await run.settle();
    const names = left.map(({ name, pid }) => `${name} (${pid})`);
    if (!run.wasEnded) names.push(...((await launch.left?.()) ?? []));
    for (const { release } of outputs ?? []) release();
    const sandboxRemarks = await launch.finished();
    // In a process namespace the sandbox reports a signal as shells do, as a code above 128.
    const sent = launch.endsTogether && run.wasEnded ? sentSignals[code ?? 0] : undefined;
    const end = sent
      ? { code: undefined, signal: sent }
      : { code: code ?? undefined, signal: signal ?? undefined };
    // At this point the last output has been read.
    await setImmediate();
    const met = watch?.finish(end) ?? [];
    return { ...end, remarks: [...remarks, ...met, ...leftovers(names), ...sandboxRemarks] };
  };
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      onGone();
      conclude(code, signal).then(resolve, reject);
    });
  });
}

const sentSignals: Readonly<Record<number, string>> = { 137: "SIGKILL", 143: "SIGTERM" };

function leftovers(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
  const shown = names.slice(0, shownNames).map(printableLine).join(", ");
  return [
    `Processes that the command left running were ended: ${shown}${more}. For long-running commands use process.start.`,
  ];
}

const shownNames = 5;

/** Adds the sandbox's own output to the error. */
async function failedSandbox(cause: unknown, file: string, stderr: OutputStream): Promise<ToolError> {
  const error = asToolError(cause, file);
  let output = "";
  for await (const piece of stderr) {
    output += Buffer.from(piece).toString();
    if (output.length > shownChars) break;
  }
  const reason = output.trim() === "" ? "" : `: ${output.trim().slice(0, shownChars)}`;
  return errorWith(error, { message: error.message + reason, cause });
}

const shownChars = 500;

class ProcessInput {
  readonly #stream: Writable | undefined;

  /** Errors of the stream are ignored, because a program need not read its input. */
  constructor(stream: Writable | null) {
    this.#stream = stream ?? undefined;
    this.#stream?.on("error", () => {});
  }

  /** Waits until the system has accepted the data, so that a slow reader slows its writer. */
  write(bytes: Uint8Array): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      if (stream === undefined || !stream.writable) reject(inputIsClosed());
      else stream.write(bytes, (error) => (error ? reject(inputIsClosed(error)) : resolve()));
    });
  }

  end(bytes?: Uint8Array): void {
    this.#stream?.end(bytes);
  }

  /** Closes the input of a program that no longer reads. Pending writes fail. */
  close(): void {
    this.#stream?.destroy();
  }
}

function inputIsClosed(cause?: Error): ToolError {
  return new ToolError(
    "unavailable",
    "The program reads no input: it has ended, has closed its input, or was started without one",
    { hint: "Start it again with an open input.", cause },
  );
}
