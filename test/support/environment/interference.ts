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
  /** Lets no step change anything from this one on: what is on the disk is the same as after a kill here. */
  readonly stopAt?: number;
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

/** No steps of the code under test, but it must not do them either once it is stopped. */
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

/** Interferes with node:fs in this whole process, until the answer is called. */
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
      // Nothing is lost when a process is killed: that it waits for the disk only takes time.
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
