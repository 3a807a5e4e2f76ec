import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { printableLine } from "../lib/printable.ts";
import { showPath } from "../lib/show-path.ts";
import type { FilterDriver } from "./drivers.ts";
import type { FilterUse } from "./filters-of.ts";
import { textOfName } from "./names.ts";
import { rulesToRun } from "./rules-to-run.ts";
import type { GitContext, Repository } from "./run-git.ts";

/** What git is told about filters, so that it runs those that may run, and no other command of theirs. */
export interface FilterOptions {
  readonly filters: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * For a command that takes files through filters: "clean" on the way into the repository, "smudge" out of it. `denied` where
 * rules and mode do not let one run: without its filter a file would become something else.
 */
export async function requireFilters(
  uses: readonly FilterUse[],
  way: "clean" | "smudge",
  { environment }: GitContext,
): Promise<FilterOptions> {
  const mayRun = async (command: string) => (await environment.confinement?.mayRun?.(command)) === true;
  const filters: string[] = [];
  const settings: Record<string, string> = {};
  for (const { filter, paths } of uses) {
    const { name, commands } = filter;
    const command = commandOf(filter, way);
    if (command === undefined) continue;
    if (!(await mayRun(command)))
      throw await mayNotRun(name, command, { way, path: textOfName(paths[0] ?? "") }, environment);
    filters.push(name);
    for (const [other, text] of Object.entries(commands))
      if (text !== command && !(await mayRun(text))) settings[`filter.${name}.${other}`] = "";
  }
  return { filters, settings };
}

/**
 * For a command whose hooks may stage files: filters that may run stay as they are, and where one may not, git fails instead of
 * storing the wrong content.
 */
export async function filtersBesideHooks(
  { filters }: Repository,
  { environment }: GitContext,
): Promise<FilterOptions> {
  const settings: Record<string, string> = {};
  for (const { name, commands } of filters)
    for (const [way, command] of Object.entries(commands)) {
      if (await environment.confinement?.mayRun?.(command)) continue;
      settings[`filter.${name}.${way}`] = "";
      settings[`filter.${name}.required`] = "true";
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
    printableLine(`${showPath(path)} goes through the filter ${name} (${command}), which may not run`),
    { hint: printableLine(`${without[way]}. Ask the person: it takes ${rules}.`) },
  );
}

const without = {
  clean: "Without it the wrong content would be staged",
  smudge: "Without it the file would have the wrong content",
} as const;
