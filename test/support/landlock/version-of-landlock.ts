import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** 0 where it cannot be used. */
export async function versionOfLandlock(): Promise<number> {
  if (process.platform !== "linux") return 0;
  try {
    const { stdout } = await promisify(execFile)("perl", ["-e", "print syscall(444, 0, 0, 1)"]);
    return Math.max(0, Number(stdout));
  } catch {
    return 0;
  }
}
