import { ToolError } from "../contract/error.ts";
import type { FilterDriver } from "./drivers.ts";
import type { FilterUse } from "./filters-of.ts";
import type { GitContext } from "./run-git.ts";

/**
 * Names of the filters in use, each of which rules or the mode let run: "clean" on the way into the repository, "smudge" out
 * of it. `denied` where they do not: without its filter a file would become something else.
 */
export async function requireFilters(
  uses: readonly FilterUse[],
  way: "clean" | "smudge",
  { environment }: GitContext,
): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const { filter, paths } of uses) {
    const command = commandOf(filter, way);
    if (command === undefined) continue;
    if (!(await environment.confinement?.mayRun?.(command)))
      throw mayNotRun(filter.name, command, paths[0] ?? "", way);
    allowed.push(filter.name);
  }
  return allowed;
}

/** A process serves both ways, instead of what is named for one. */
function commandOf(
  { commands: { process, ...ways } }: FilterDriver,
  way: "clean" | "smudge",
): string | undefined {
  return process || ways[way] || undefined;
}

function mayNotRun(name: string, command: string, path: string, way: "clean" | "smudge"): ToolError {
  const rule = `allow run ${command.replaceAll("%f", "*")}`;
  return new ToolError(
    "denied",
    `${path} goes through the filter ${name} (${command}), which no rule lets run`,
    { hint: `${without[way]}. Ask the person: the rule "${rule}" lets it run in the sandbox.` },
  );
}

const without = {
  clean: "Without it the wrong content would be staged",
  smudge: "Without it the file would have the wrong content",
} as const;
