import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Returns 0 where Landlock is not available. */
export async function versionOfLandlock(): Promise<number> {
  if (process.platform !== "linux") return 0;
  try {
    const { stdout } = await promisify(execFile)("perl", ["-e", "print syscall(444, 0, 0, 1)"]);
    return Math.max(0, Number(stdout));
  } catch {
    return 0;
  }
}
