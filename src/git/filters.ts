import { ToolError } from "../contract/error.ts";
import type { FilterDriver } from "./drivers.ts";
import { textOfName } from "./names.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** "clean": into the repository; "smudge": out of it. */
export type FilterWay = "clean" | "smudge";

/** By the name of a filter a file that goes through it. */
export type FilterUses = ReadonlyMap<string, string>;

/** Which filters files go through, by the attributes that hold in the working tree. Names have a character for each byte. */
export async function filterUses(
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<FilterUses> {
  const uses = new Map<string, string>();
  if (repository.filters.length === 0 || paths.length === 0) return uses;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const answer = await outputOfGit(repository, ["check-attr", "--stdin", "-z", "filter"], context, { input });
  const fields = answer.toString("latin1").split("\0").map(textOfName);
  for (let at = 0; at + 2 < fields.length; at += 3)
    if (!uses.has(fields[at + 2]!)) uses.set(fields[at + 2]!, fields[at]!);
  return uses;
}

/**
 * Names of the filters in use, each of which rules or the mode let run; `denied` where they do not: without its filter a file
 * would become something else.
 */
export async function allowFilters(
  uses: FilterUses,
  way: FilterWay,
  repository: Repository,
  { environment }: GitContext,
): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const driver of repository.filters) {
    const path = uses.get(driver.name);
    const command = commandOf(driver, way);
    if (path === undefined || command === undefined) continue;
    if (!(await environment.confinement?.mayRun?.(command))) throw mayNotRun(driver.name, command, path, way);
    allowed.push(driver.name);
  }
  return allowed;
}

/** A process is used for both ways, instead of what is named for one. */
function commandOf({ commands: { process, ...ways } }: FilterDriver, way: FilterWay): string | undefined {
  return process || ways[way] || undefined;
}

function mayNotRun(name: string, command: string, path: string, way: FilterWay): ToolError {
  const rule = `allow run ${command.replaceAll("%f", "*")}`;
  return new ToolError(
    "denied",
    `${path} goes through the filter ${name} (${command}), which no rule lets run`,
    {
      hint: `${consequences[way]}. Ask the person: the rule "${rule}" lets it run in the sandbox.`,
    },
  );
}

const consequences = {
  clean: "Without it the wrong content would be staged",
  smudge: "Without it the file would have the wrong content",
} as const;
