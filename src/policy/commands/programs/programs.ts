import type { Judge } from "../verdict.ts";
import { wrappers } from "../wrappers/wrappers.ts";
import { developmentPrograms } from "./development.ts";
import { filePrograms } from "./files.ts";
import { networkPrograms } from "./network.ts";
import { shellBuiltins } from "./shell-builtins.ts";
import { systemPrograms } from "./system.ts";
import { textPrograms } from "./text.ts";

/** Every program something is known of. All others count as running code. */
export const programs: ReadonlyMap<string, Judge> = new Map([
  ...Object.entries(shellBuiltins),
  ...Object.entries(wrappers),
  ...Object.entries(textPrograms),
  ...Object.entries(filePrograms),
  ...Object.entries(systemPrograms),
  ...Object.entries(networkPrograms),
  ...Object.entries(developmentPrograms),
]);
