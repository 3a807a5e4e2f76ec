import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { systemError } from "../../../src/system/file-errors.ts";

/**
 * Where a process is to be stopped or hindered: at which of its steps that change something on the disk, by number, or
 * at the first that gives a name.
 */
export interface Interference {
  /** Kills this process before the step; writing is two steps, the second in the middle of it. */
  readonly killAt?: number | string;
  /** Halts this process before the step, alive. */
  readonly haltAt?: number | string;
  /** Lets the step fail as a broken disk would. */
  readonly failAt?: number | string;
  /** Lets every hard link fail, as on file systems without them. */
  readonly noHardLinks?: boolean;
}

const changing = [
  "fchmodSync",
  "fchownSync",
  "fdatasyncSync",
  "fsyncSync",
  "ftruncateSync",
  "linkSync",
  "mkdirSync",
  "openSync",
  "renameSync",
  "rmdirSync",
  "unlinkSync",
  "writeSync",
] as const;

type Call = (...call: unknown[]) => unknown;

/** Interferes with node:fs in this whole process, until the answer is called. */
export function interfere(interference: Interference): () => { steps: number; failedAt: number } {
  const { killAt, haltAt, failAt, noHardLinks } = interference;
  const real = new Map(changing.map((name) => [name, fs[name] as Call]));
  let steps = 0;
  let failedAt = 0;
  const next = (target: unknown) => {
    steps += 1;
    const isAt = (at: number | string | undefined) =>
      typeof at === "string" ? String(target).endsWith(`/${at}`) : at === steps;
    if (isAt(killAt)) process.kill(process.pid, "SIGKILL");
    if (isAt(haltAt)) process.kill(process.pid, "SIGSTOP");
    if (failedAt > 0 || !isAt(failAt)) return;
    failedAt = steps;
    throw systemError("EIO", "interference");
  };
  for (const [name, act] of real) {
    (fs as unknown as Record<string, Call>)[name] = (...call) => {
      if (name === "openSync" && !opensForWriting(call[1])) return act(...call);
      next(call[1]);
      if (name === "linkSync" && noHardLinks === true) throw systemError("EPERM", "interference");
      // Nothing is lost when a process is killed: that it waits for the disk only takes time.
      if (name === "fdatasyncSync" || name === "fsyncSync") return undefined;
      if (name !== "writeSync") return act(...call);
      const [handle, content, ...rest] = call as [number, Uint8Array | string, ...unknown[]];
      const isHalf = killAt === steps + 1 && typeof content !== "string";
      if (isHalf) act(handle, content.subarray(0, content.length / 2));
      next(undefined);
      return act(handle, content, ...rest);
    };
  }
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(real));
    syncBuiltinESMExports();
    return { steps, failedAt };
  };
}

function opensForWriting(flags: unknown): boolean {
  if (typeof flags !== "number") return flags !== undefined && flags !== "r";
  return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
}
