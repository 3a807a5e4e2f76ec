import { ToolError } from "../contract/error.ts";
import { printableLine, showPath } from "../lib/text/printable.ts";
import type { FilterDriver } from "./filter-drivers.ts";
import { rulesToRun } from "./hooks.ts";
import { textOfName } from "./names.ts";
import { type GitContext, type GitOptions, isInSandbox, outputOfGit, type Repository } from "./run-git.ts";

type FilterOptions = Required<Pick<GitOptions, "filters" | "settings">>;

/**
 * Returns the options of a command that filters files: "clean" on the way into the repository, "smudge" out of it. Throws
 * `denied` if a filter may not run: without it a file would get other content.
 */
export async function requireFilters(
  uses: readonly FilterUse[],
  way: Way,
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
      throw await mayNotRun(name, command, textOfName(paths[0] ?? ""), environment);
    filters.push(name);
    for (const [other, text] of Object.entries(commands))
      if (text !== command && !(await mayRun(text))) settings[`filter.${name}.${other}`] = "";
  }
  return { filters, settings };
}

/**
 * Returns the options of a command whose hooks may stage files. Where a filter may not run, git fails instead of storing
 * other content.
 */
export async function filtersForHooks({ filters, environment }: Repository): Promise<FilterOptions> {
  const settings: Record<string, string> = {};
  for (const { name, commands } of filters)
    for (const [way, command] of Object.entries(commands)) {
      if (await environment.confinement?.mayRun?.(command)) continue;
      settings[`filter.${name}.${way}`] = "";
      settings[`filter.${name}.required`] = "true";
    }
  return { filters: filters.map(({ name }) => name), settings };
}

type Way = "clean" | "smudge";

/** Returns the command of a filter. A process filter is used for both ways. */
function commandOf({ commands: { process, ...commands } }: FilterDriver, way: Way): string | undefined {
  return process || commands[way] || undefined;
}

async function mayNotRun(
  name: string,
  command: string,
  path: string,
  environment: GitContext["environment"],
): Promise<ToolError> {
  const rules = await rulesToRun(command.replaceAll("%f", "*"), environment);
  return new ToolError(
    "denied",
    printableLine(`${showPath(path)} needs the filter ${name} (${command}), which may not run`),
    {
      hint: printableLine(`Ask the user to allow it with ${rules}.`),
      forUser: { hint: printableLine(`To allow it, add ${rules}.`) },
    },
  );
}

export interface FilterUse {
  readonly filter: FilterDriver;
  readonly paths: readonly string[];
}

export async function filterUses(
  paths: readonly string[],
  repository: Repository,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<readonly FilterUse[]> {
  if (repository.filters.length === 0 || paths.length === 0) return [];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), encoding);
  // Git reads the names relative to where it is started.
  const fromTop = ["-C", repository.top, "check-attr", "-z", "--stdin", "filter"];
  const fields = (await outputOfGit(repository, fromTop, { input })).toString(encoding).split("\0");
  const byFilter = Map.groupBy(
    fields.flatMap((value, at) => (at % 3 === 2 ? [{ value, path: fields[at - 2]! }] : [])),
    ({ value }) => Buffer.from(value, encoding).toString(),
  );
  return repository.filters.flatMap((filter) => {
    const used = byFilter.get(filter.name);
    return used === undefined ? [] : [{ filter, paths: used.map(({ path }) => path) }];
  });
}

interface Filtered<Result> {
  readonly used: readonly FilterUse[];
  readonly result: Result | undefined;
  /** Sentences about filters that were not run. */
  readonly notes: readonly string[];
}

/**
 * Compares files that look changed again with their filters, if the rules allow those. Git compares the filtered content:
 * without its filter an unchanged file may look changed.
 */
export async function throughFilters<Result>(
  changed: readonly string[],
  repository: Repository,
  compare: (options: GitOptions) => Promise<Result>,
): Promise<Filtered<Result>> {
  const uses = await filterUses(changed, repository);
  const used = uses.filter(({ filter }) => cleaning(filter) !== "");
  const filters = await filtersAllowed(
    used.map(({ filter }) => filter),
    repository,
  );
  // The sandbox hides secrets, and git may fail without them.
  const unlessCancelled = (error: unknown) => {
    if (!(error instanceof ToolError) || repository.signal.aborted) throw error;
    return undefined;
  };
  const result =
    filters.length === 0 ? undefined : await compare({ filters, confinement: "call" }).catch(unlessCancelled);
  const missing = result === undefined ? used : used.filter(({ filter }) => !filters.includes(filter.name));
  return { used, result, notes: missing.map(({ filter, paths }) => notRun(filter, paths.length)) };
}

/** Returns the filters that this call may run in its sandbox; none if the sandbox does not show the repository. */
async function filtersAllowed(
  filters: readonly FilterDriver[],
  repository: Repository,
): Promise<readonly string[]> {
  const { confinement } = repository.environment;
  if (confinement?.mayRun === undefined || !isInSandbox(repository)) return [];
  const allowed: string[] = [];
  for (const filter of filters) if (await confinement.mayRun(cleaning(filter))) allowed.push(filter.name);
  return allowed;
}

function notRun(filter: FilterDriver, files: number): string {
  const subject = files === 1 ? "1 file goes" : `${files} files go`;
  return printableLine(
    `${subject} through the filter ${filter.name}, which was not run: unchanged ones may look changed. ` +
      `The rule "allow run ${cleaning(filter).replaceAll("%f", "*")}" lets it run in the sandbox.`,
  );
}

function cleaning(filter: FilterDriver): string {
  return commandOf(filter, "clean") ?? "";
}
