import { closeSync, openSync, readFileSync, unlinkSync } from "node:fs";
import { attempt } from "./attempt.ts";
import { startProgram } from "./start-program.ts";

/** A process that outlives this one. */
export interface DetachedProcess {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  readonly hasEnded: boolean;
  /** Returns what it has written to standard output so far. */
  output(): string;
  /** Kills it and its children. */
  kill(): void;
  /** Forgets it: it runs on, and its output is lost. */
  release(): void;
}

/** Starts a program that ends by itself, without input and output. It keeps no folder in use. Ignores failures. */
export function startAlone(file: string, words: readonly string[], env: NodeJS.ProcessEnv): void {
  const child = startProgram(file, words, { cwd: "/", env, detached: true, stdio: "ignore" });
  child.on("error", () => {}).unref();
}

/** Starts a program in a process group of its own, without a terminal. Its errors go nowhere. */
export function startDetached(
  file: string,
  words: readonly string[],
  {
    cwd,
    env,
    input,
    outputFile,
  }: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly input: string;
    /** A new file, which `release` removes. */
    readonly outputFile: string;
  },
): DetachedProcess {
  const output = openSync(outputFile, "wx", 0o600);
  const child = startProgram(file, words, { cwd, env, detached: true, stdio: ["pipe", output, "ignore"] });
  closeSync(output);
  // A process that cannot be started, or that does not read, has ended.
  child.on("error", () => {});
  child.stdin?.on("error", () => {}).end(input);
  return {
    pid: child.pid,
    get hasEnded() {
      return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    },
    output: () => attempt(() => readFileSync(outputFile, "utf8")) ?? "",
    kill: () => {
      const { pid } = child;
      if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"));
    },
    release: () => {
      child.unref();
      attempt(() => unlinkSync(outputFile));
    },
  };
}
