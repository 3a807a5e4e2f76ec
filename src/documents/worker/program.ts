import { fileURLToPath } from "node:url";

/** The file that a host runs: beside this one as source; in a build beside the folder that holds this one. */
export function hostProgram(module: string = import.meta.url): string {
  return fileURLToPath(new URL(module.endsWith(".ts") ? "main.ts" : "../documents/main.cjs", module));
}
