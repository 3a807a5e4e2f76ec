import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { printableLine, showPath } from "../lib/text/printable.ts";
import type { FilterDriver } from "./filter-drivers.ts";
import { rulesToRun } from "./hooks.ts";
import { textOfName } from "./names.ts";
import {
  type GitContext,
  type GitOptions,
  outputOfGit,
  type Repository,
  reachedBySandbox,
} from "./run-git.ts";

/** What git is told about filters, so that it runs those that may run, and no other command of theirs. */
interface FilterOptions {
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

export interface FilterUse {
  readonly filter: FilterDriver;
  readonly paths: readonly string[];
}

/** Which of the repository's filters these files go through, by git's paths, on the way in or out. */
export async function filterUses(
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<readonly FilterUse[]> {
  if (repository.filters.length === 0 || paths.length === 0) return [];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), encoding);
  // Names are as seen from where git is started.
  const fromTop = ["-C", repository.top, "check-attr", "-z", "--stdin", "filter"];
  const fields = (await outputOfGit(repository, fromTop, context, { input })).toString(encoding).split("\0");
  const used = new Map<string, string[]>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , value = ""] = fields.slice(at, at + 3);
    const name = Buffer.from(value, encoding).toString();
    const known = used.get(name);
    if (known === undefined) used.set(name, [path]);
    else known.push(path);
  }
  return repository.filters.flatMap((filter) => {
    const own = used.get(filter.name);
    return own === undefined ? [] : [{ filter, paths: own }];
  });
}

/**
 * The same for comparing. Git compares files by what a filter makes of them: while it is not run, an unchanged file may look
 * changed.
 */
async function filtersOf(
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<readonly FilterUse[]> {
  return (await filterUses(paths, repository, context)).filter(({ filter }) => cleaning(filter) !== "");
}

interface Filtered<Result> {
  readonly used: readonly FilterUse[];
  /** Undefined where nothing could be compared again. */
  readonly result: Result | undefined;
  /** Which filters were not run, in sentences. */
  readonly notes: readonly string[];
}

/** Compares files that look changed, by git's paths, again with their filters, where the rules let those run. */
export async function throughFilters<Result>(
  changed: readonly string[],
  repository: Repository,
  context: GitContext,
  compare: (options: GitOptions) => Promise<Result>,
): Promise<Filtered<Result>> {
  const used = await filtersOf(changed, repository, context);
  const filters = await filtersAllowed(
    used.map(({ filter }) => filter),
    repository,
    context,
  );
  // The sandbox hides secrets: where git cannot go on without one, nothing was run.
  const unlessCancelled = (error: unknown) => {
    if (!(error instanceof ToolError) || context.signal.aborted) throw error;
    return undefined;
  };
  const result =
    filters.length === 0 ? undefined : await compare({ filters, confinement: "call" }).catch(unlessCancelled);
  const missing = result === undefined ? used : used.filter(({ filter }) => !filters.includes(filter.name));
  return { used, result, notes: missing.map(({ filter, paths }) => notRun(filter, paths.length)) };
}

/**
 * Those of the filters that the rules let this call run, by name: then git runs in the sandbox of the call. None where the
 * sandbox would not reach the repository.
 */
async function filtersAllowed(
  filters: readonly FilterDriver[],
  repository: Repository,
  { environment }: GitContext,
): Promise<readonly string[]> {
  const { confinement } = environment;
  if (confinement?.mayRun === undefined || !reachedBySandbox(repository, environment)) return [];
  const allowed: string[] = [];
  for (const filter of filters) if (await confinement.mayRun(cleaning(filter))) allowed.push(filter.name);
  return allowed;
}

/** Says what was not run, and which rule would let it. */
function notRun(filter: FilterDriver, files: number): string {
  const subject = files === 1 ? "1 file goes" : `${files} files go`;
  return printableLine(
    `${subject} through the filter ${filter.name}, which was not run: unchanged ones may look changed. ` +
      `The rule "allow run ${cleaning(filter).replaceAll("%f", "*")}" lets it run in the sandbox.`,
  );
}

/** What makes of a file what git would keep. A process is used instead of what is named for one way. */
function cleaning({ commands: { process, clean = "" } }: FilterDriver): string {
  return process || clean;
}
