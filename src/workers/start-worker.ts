import { fork } from "node:child_process";
import { dirname } from "node:path";
import { allowedVariables } from "../system/variables.ts";

/** A program of our own that runs beside us and is spoken to by messages. It ends when we do. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Whatever can be cloned. Lost without a word when it has ended: `ended` tells. */
  send(message: unknown): void;
  /** Whether this process stays alive for it. */
  keepsUsAlive(wanted: boolean): void;
  /** Lets it end by itself: it sees that nobody listens any more. */
  leave(): void;
  kill(): void;
  readonly ended: Promise<WorkerEnd>;
}

export interface WorkerEnd {
  /** "SIGKILL", "exit code 1", or why it could not be started. */
  readonly how: string;
  /** The end of what it wrote to its standard error. */
  readonly stderrTail: string;
}

export interface StartOptions {
  /** The file to run: source or built. */
  readonly program: string;
  readonly words: readonly string[];
  /** For Node and V8, "--max-old-space-size=1024": what cannot be said once it runs. */
  readonly flags: readonly string[];
  readonly onMessage: (message: unknown) => void;
}

export function startWorker({ program, words, flags, onMessage }: StartOptions): WorkerProcess {
  const env = allowedVariables(process.env);
  const child = fork(program, words, {
    cwd: dirname(program),
    env,
    execArgv: ["--disable-warning=ExperimentalWarning", ...flags],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderrTail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-2000);
  });
  const { promise: ended, resolve } = Promise.withResolvers<WorkerEnd>();
  child.on("error", (error) => {
    if (child.pid === undefined) resolve({ how: error.message, stderrTail: stderrTail });
  });
  // Not "close", which does not come once a channel has been left. Its last words have mostly come before.
  child.on("exit", (code, signal) => resolve({ how: signal ?? `exit code ${code}`, stderrTail: stderrTail }));
  child.on("message", onMessage);
  return {
    pid: child.pid,
    send: (message) => {
      if (child.connected) child.send(message as object, () => {});
    },
    keepsUsAlive: (wanted) => {
      const how = wanted ? "ref" : "unref";
      child[how]();
      child.channel?.[how]();
      (child.stderr as { ref(): void; unref(): void } | null)?.[how]();
    },
    leave: () => {
      if (child.connected) child.disconnect();
    },
    kill: () => child.kill("SIGKILL"),
    ended,
  };
}
