import type { Environment, RunningProcess } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ProcessRequest, ProcessStatus, Waiting } from "../contract/process.ts";
import { throwIfAborted } from "../lib/async/abort.ts";
import { BackgroundProcess } from "./background-process.ts";
import type { CallOfProcesses, ProcessesParts } from "./open-processes.ts";
import { planReadiness } from "./readiness.ts";

/** The processes of an instance by name: those that run, and the last that ended. */
export class ProcessTable {
  readonly #parts: ProcessesParts;
  readonly #kept = new Map<string, BackgroundProcess>();
  readonly #owners = new WeakMap<BackgroundProcess, object>();
  readonly #reserved = new Set<string>();
  readonly #closing = new AbortController();
  #numbered = 0;

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
  }

  /** Starts a process with the environment of a call. The process outlives the call. */
  async start(
    request: ProcessRequest,
    { environment, caller }: CallOfProcesses,
    { signal }: Waiting,
  ): Promise<BackgroundProcess> {
    const { command, terminal = false, input = "open" } = request;
    const awaitReadiness = request.ready && planReadiness(request.ready);
    const name = this.#reserve(request);
    // The call can cancel the start, but not the running process.
    const taken = new AbortController();
    const takeBack = () => taken.abort(signal.reason);
    signal.addEventListener("abort", takeBack, { once: true });
    try {
      throwIfAborted(signal);
      const ends = AbortSignal.any([taken.signal, this.#closing.signal]);
      const { running, remarks } = await startShell(request, environment, ends);
      const { outputs, redactor } = this.#parts;
      const kept = new BackgroundProcess({
        name,
        command,
        running,
        terminal,
        readsInput: input === "open",
        awaitReadiness,
        hasNetwork: (environment.confinement?.hosts?.length ?? 0) > 0,
        remarks,
        outputs,
        redactor,
      });
      if (request.timeoutMs !== undefined) endAfter(request.timeoutMs, kept);
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      if (caller) this.#owners.set(kept, caller);
      this.#forgetOldest();
      return kept;
    } finally {
      signal.removeEventListener("abort", takeBack);
      this.#reserved.delete(name);
    }
  }

  /** Returns the process of this name. Throws `not-found` with the known names. */
  get(name: string): BackgroundProcess {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const shells = this.#shells().map((shell) => shell.name);
    if (shells.includes(name)) throw isShell(name);
    const names = [...this.#kept.keys(), ...shells];
    throw new ToolError("not-found", `There is no process "${name}"`, {
      hint: names.length === 0 ? "Start one with process.start." : `Use one of: ${names.join(", ")}.`,
      details: { kind: "unknown-process" },
    });
  }

  /** Returns the running processes, the latest first. */
  running(): readonly BackgroundProcess[] {
    return [...this.#kept.values()].filter(({ hasEnded }) => !hasEnded).reverse();
  }

  async list(): Promise<readonly ProcessStatus[]> {
    const kept = await Promise.all(Array.from(this.#kept.values(), (process) => process.status()));
    return [...kept, ...this.#shells()].sort((one, other) => one.startedAt - other.startedAt);
  }

  async stopOf(caller: object): Promise<void> {
    const theirs = this.running().filter((kept) => this.#owners.get(kept) === caller);
    await Promise.all(theirs.map(stopProcess));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#kept.values(), stopProcess));
  }

  #reserve({ name: wanted, command }: ProcessRequest): string {
    const name = wanted?.replace("#", () => String(this.#nextNumber(wanted)));
    const isTaken = (wanted: string) =>
      this.#reserved.has(wanted) || this.#shells().some((shell) => shell.name === wanted);
    if (name !== undefined) {
      checkName(name);
      if (isTaken(name) || this.#kept.get(name)?.hasEnded === false) throw inUse(name);
    }
    const chosen = name ?? nameFor(command, (wanted) => isTaken(wanted) || this.#kept.has(wanted));
    this.#reserved.add(chosen);
    return chosen;
  }

  /** Never reuses a number: a caller that asks for a forgotten process must not get another one. */
  #nextNumber(pattern: string): number {
    do this.#numbered += 1;
    while (this.#kept.has(pattern.replace("#", String(this.#numbered))));
    return this.#numbered;
  }

  #shells(): readonly ProcessStatus[] {
    return this.#parts.shells?.list() ?? [];
  }

  #forgetOldest(): void {
    const ended = [...this.#kept.values()].filter((kept) => kept.hasEnded);
    for (const { name } of ended.slice(0, -maxEnded)) this.#kept.delete(name);
  }
}

/** Sends SIGTERM, later SIGKILL, and waits for the end. */
export async function stopProcess({ running, ended }: BackgroundProcess): Promise<void> {
  running.terminate();
  const overdue = setTimeout(() => running.stop(), overdueMs);
  await ended;
  clearTimeout(overdue);
}

function endAfter(timeoutMs: number, kept: BackgroundProcess): void {
  const timer = setTimeout(() => {
    kept.remark(`Stopped after its time limit of ${timeoutMs / 1000} s`);
    void stopProcess(kept);
  }, timeoutMs);
  void kept.ended.then(() => clearTimeout(timer));
}

/** This is longer than `terminate` takes. */
const overdueMs = 5_000;

const maxEnded = 20;

async function startShell(
  { command, cwd, env, terminal = false, input = "open" }: ProcessRequest,
  environment: Environment,
  signal: AbortSignal,
): Promise<{ readonly running: RunningProcess; readonly remarks: readonly string[] }> {
  const options = {
    cwd,
    env,
    input: input === "open" ? input : undefined,
    terminal,
    reachable: true,
    signal,
  };
  const start = (shell: string, args: readonly string[]) =>
    environment.start(shell, { ...options, args: [...args, "-c", command] });
  try {
    return { running: await start("bash", ["--noprofile", "--norc"]), remarks: [] };
  } catch (error) {
    if (!(error instanceof ToolError) || error.details?.kind !== "missing-program") throw error;
    const running = await start("sh", []).catch(() => {
      throw error;
    });
    return { running, remarks: ["bash is not available: sh runs the command"] };
  }
}

function isShell(name: string): ToolError {
  return new ToolError(
    "unsupported",
    `${name} is a shell: the output of its commands is in the results of shell.run`,
    {
      hint: `Run another command in it with shell.run { "session": "${name}" }, or end it with process.stop.`,
    },
  );
}

function inUse(name: string): ToolError {
  return new ToolError("already-exists", `A process named "${name}" is already running`, {
    hint: "Choose another name, or end it with process.stop.",
  });
}

/** Returns a short name for a command that is not in use: "npm-run-dev", "npm-run-dev-2". */
export function nameFor(command: string, isInUse: (name: string) => boolean): string {
  const base = wordsOf(command).join("-").slice(0, maxMadeChars) || "process";
  let name = base;
  for (let count = 2; isInUse(name); count += 1) name = `${base}-${count}`;
  return name;
}

/** Throws `invalid-input` for a name that is hard to type. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return;
  throw new ToolError("invalid-input", `"${name}" cannot be the name of a process`, {
    hint: 'Use up to 64 letters, digits, "-", "_" and ".": web-server.',
  });
}

const maxWords = 3;
const maxMadeChars = 40;

/** Returns the words of the last of several commands, without options, quotes, directories and variables. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replace(/"[^"]*"|'[^']*'/g, " ");
  const last = plain.split(/&&|\|\||[;|&\n]/).findLast((part) => /\w/.test(part)) ?? "";
  return last
    .trim()
    .split(/\s+/)
    .filter((word) => /^[\w./:@]/.test(word) && !/^\w+=/.test(word) && !launchers.has(word))
    .map((word) => word.replace(/.*\//, "").replace(/[^\w.]+/g, "-"))
    .map((word) => word.replace(/^[^A-Za-z0-9]+|-+$/g, ""))
    .filter((word) => word !== "")
    .slice(0, maxWords);
}

const launchers = new Set(["exec", "nohup", "env", "time", "command"]);
