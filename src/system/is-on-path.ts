import { statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { attempt } from "./attempt.ts";

/** Whether the PATH of this process has the program. */
export function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.some((folder) => attempt(() => statSync(join(folder, program)).isFile()) === true);
}
