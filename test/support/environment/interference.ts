import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { systemError } from "../../../src/system/file-errors.ts";

/**
 * The step at which a process is stopped or hindered: the number of a step that changes the disk, or the first step
 * on a name.
 */
export interface Interference {
  /** Kills this process before the step. Writing counts as two steps, the second in the middle of the data. */
  readonly killAt?: number | string;
  /** Lets no step change anything from this one on: the disk is the same as after a kill here. */
  readonly stopAt?: number;
  /** Halts this process before the step, alive. */
  readonly haltAt?: number | string;
  /** Lets the step fail like a broken disk. */
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

/** The code under test does not use these. They are blocked, too, once it is stopped. */
const uncounted = [
  "appendFileSync",
  "chmodSync",
  "chownSync",
  "copyFileSync",
  "cpSync",
  "futimesSync",
  "lchownSync",
  "lutimesSync",
  "mkdtempSync",
  "rmSync",
  "symlinkSync",
  "truncateSync",
  "utimesSync",
  "writeFileSync",
  "writevSync",
] as const;

type Call = (...call: unknown[]) => unknown;

/** Interferes with node:fs in this whole process, until the returned function is called. */
export function interfere(interference: Interference): () => { steps: number; failedAt: number } {
  const { killAt, stopAt, haltAt, failAt, noHardLinks } = interference;
  const real = new Map<string, Call>([...changing, ...uncounted].map((name) => [name, fs[name] as Call]));
  let steps = 0;
  let failedAt = 0;
  const refuseWhenStopped = () => {
    if (stopAt !== undefined && steps >= stopAt) throw systemError("EIO", "interference");
  };
  const next = (target: unknown) => {
    steps += 1;
    const isAt = (at: number | string | undefined) =>
      typeof at === "string" ? String(target).endsWith(`/${at}`) : at === steps;
    if (isAt(killAt)) process.kill(process.pid, "SIGKILL");
    if (isAt(haltAt)) process.kill(process.pid, "SIGSTOP");
    refuseWhenStopped();
    if (failedAt > 0 || !isAt(failAt)) return;
    failedAt = steps;
    throw systemError("EIO", "interference");
  };
  const put = (name: string, act: Call) => {
    (fs as unknown as Record<string, Call>)[name] = act;
  };
  for (const name of uncounted) {
    put(name, (...call) => {
      refuseWhenStopped();
      return real.get(name)!(...call);
    });
  }
  for (const name of changing) {
    const act = real.get(name)!;
    put(name, (...call) => {
      if (name === "openSync" && !opensForWriting(call[1])) return act(...call);
      next(call[1]);
      if (name === "linkSync" && noHardLinks === true) throw systemError("EPERM", "interference");
      // A killed process loses no written data, so waiting for the disk would only take time.
      if (name === "fdatasyncSync" || name === "fsyncSync") return undefined;
      if (name !== "writeSync") return act(...call);
      const [handle, content, ...rest] = call as [number, Uint8Array | string, ...unknown[]];
      const isHalf = (killAt === steps + 1 || stopAt === steps + 1) && typeof content !== "string";
      if (isHalf) act(handle, content.subarray(0, content.length / 2));
      next(undefined);
      return act(handle, content, ...rest);
    });
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
