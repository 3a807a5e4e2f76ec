import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { showPath } from "../text/show-path.ts";
import type { FilterDriver } from "./drivers.ts";
import type { FilterUse } from "./filters-of.ts";
import { textOfName } from "./names.ts";
import { rulesToRun } from "./rules-to-run.ts";
import type { GitContext, GitOptions, Repository } from "./run-git.ts";

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
      throw await mayNotRun(filter.name, command, { way, path: textOfName(paths[0] ?? "") }, environment);
    allowed.push(filter.name);
  }
  return allowed;
}

/**
 * For a command whose hooks may stage files: filters that may run stay as they are, and where one may not, git fails instead of
 * storing the wrong content.
 */
export async function filtersBesideHooks(
  { filters }: Repository,
  { environment }: GitContext,
): Promise<Required<Pick<GitOptions, "filters" | "settings">>> {
  const settings: Record<string, string> = {};
  for (const filter of filters) {
    const command = commandOf(filter, "clean");
    if (command === undefined || (await environment.confinement?.mayRun?.(command))) continue;
    for (const way of ["clean", "smudge", "process"]) settings[`filter.${filter.name}.${way}`] = "";
    settings[`filter.${filter.name}.required`] = "true";
  }
  return { filters: filters.map(({ name }) => name), settings };
}

/** A process serves both ways, instead of what is named for one. */
function commandOf(
  { commands: { process, ...ways } }: FilterDriver,
  way: "clean" | "smudge",
): string | undefined {
  return process || ways[way] || undefined;
}

async function mayNotRun(
  name: string,
  command: string,
  { way, path }: { readonly way: "clean" | "smudge"; readonly path: string },
  environment: Environment,
): Promise<ToolError> {
  const rules = await rulesToRun(command.replaceAll("%f", "*"), environment);
  return new ToolError(
    "denied",
    `${showPath(path)} goes through the filter ${name} (${command}), which may not run`,
    { hint: `${without[way]}. Ask the person: it takes ${rules}.` },
  );
}

const without = {
  clean: "Without it the wrong content would be staged",
  smudge: "Without it the file would have the wrong content",
} as const;
