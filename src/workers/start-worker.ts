import { fork } from "node:child_process";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import { allowedVariables } from "../system/environment-variables.ts";

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

/** Resolves when the bytes were written, or the process has ended. */
export type SendBytes = (bytes: Uint8Array) => Promise<void>;

export interface StartOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Flags for Node and V8, such as "--max-old-space-size=1024". */
  readonly flags: readonly string[];
  readonly onMessage: (message: unknown) => void;
  /** Opens a pipe to the process, its descriptor 4. The process is killed when the receiver throws. */
  readonly openPipe?: ((send: SendBytes) => (chunk: Buffer) => void) | undefined;
}

export function startWorker({ program, args, flags, onMessage, openPipe }: StartOptions): WorkerProcess {
  // Workers load the same modules at each start.
  const { NODE_COMPILE_CACHE } = process.env;
  const env = { ...allowedVariables(process.env), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
  const child = fork(program, args, {
    cwd: dirname(program),
    env,
    execArgv: ["--disable-warning=ExperimentalWarning", ...flags],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc", ...(openPipe ? ["pipe" as const] : [])],
  });
  const pipe = child.stdio[4] as Pipe | undefined;
  if (openPipe && pipe) connect(pipe, openPipe, () => child.kill("SIGKILL"));
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
      pipe?.[how]();
    },
    leave: () => {
      if (child.connected) child.disconnect();
    },
    kill: () => child.kill("SIGKILL"),
    ended,
  };
}

type Pipe = Duplex & { ref(): void; unref(): void };

function connect(pipe: Pipe, openPipe: NonNullable<StartOptions["openPipe"]>, kill: () => void): void {
  const receive = openPipe((bytes) => new Promise((resolve) => pipe.write(bytes, () => resolve())));
  // The process has ended, which is noticed elsewhere.
  pipe.on("error", () => {});
  pipe.on("data", (chunk: Buffer) => {
    try {
      receive(chunk);
    } catch {
      kill();
    }
  });
}
