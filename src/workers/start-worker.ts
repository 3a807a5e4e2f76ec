import { dirname } from "node:path";
import { allowedVariables } from "../system/environment-variables.ts";
import { startModule } from "../system/start-program.ts";

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Sends any cloneable value. Drops it if the process has ended. */
  send(message: unknown): void;
  keepsUsAlive(wanted: boolean): void;
  /** Disconnects, so that the worker ends by itself. */
  leave(): void;
  kill(): void;
  readonly ended: Promise<WorkerEnd>;
}

export interface WorkerEnd {
  /** "SIGKILL", "exit code 1", or why it could not be started. */
  readonly how: string;
  readonly stderrTail: string;
}

export interface StartOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Flags for Node and V8, such as "--max-old-space-size=1024". */
  readonly flags: readonly string[];
  readonly onMessage: (message: unknown) => void;
}

export function startWorker({ program, args, flags, onMessage }: StartOptions): WorkerProcess {
  // Workers load the same modules at each start.
  const { NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...returnsMemory,
    ...allowedVariables(process.env),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  };
  const child = startModule(program, args, {
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
    if (child.pid === undefined) resolve({ how: error.message, stderrTail });
  });
  // "close" does not come after a disconnect. Most of the standard error has arrived before "exit".
  child.on("exit", (code, signal) => resolve({ how: signal ?? `exit code ${code}`, stderrTail }));
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

/** By default, glibc keeps more and more freed memory: it does so with larger buffers each time, and for each thread. */
const returnsMemory = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "2" };
