import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)));
}
