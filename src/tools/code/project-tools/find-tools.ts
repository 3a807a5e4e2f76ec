import { posix } from "node:path";
import type { Environment } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import type { ToolContext } from "../../../contract/tool.ts";
import { isExhaustion } from "../../../lib/exhaustion.ts";
import { type Glob, parseGlob } from "../../../lib/glob/glob.ts";
import { shellWord } from "../../../lib/text/shell-quote.ts";
import { argvFor, checkers, commandOf, formatters, isFor, type ProjectTool } from "./known-tools.ts";

/** A tool with its arguments for one file. */
export interface FoundTool {
  readonly tool: ProjectTool;
  /** The working directory relative to the workspace: the directory of `sign`, else that of the file. */
  readonly directory: string;
  /** The file that shows that the project uses this tool; undefined for the default tool of a language. */
  readonly sign: string | undefined;
  /** The name of an installed program, or the absolute path of one in the project. */
  readonly program: string;
  readonly isOfProject: boolean;
  readonly args: readonly string[];
}

interface Wanted {
  readonly tools: readonly ProjectTool[];
  /** Chooses between tools with a sign: the nearest sign, or the first tool in the list. */
  readonly prefer: "nearest" | "first";
}

/** Returns the tools that a project has for a file, best first. An installed program may still fail to start. */
export async function findTools(
  path: string,
  { tools, prefer }: Wanted,
  context: Pick<ToolContext, "environment">,
): Promise<readonly FoundTool[]> {
  const { environment } = context;
  const file = posix.relative(environment.workspace, await environment.realPath(path));
  const above = await directoriesAbove(file, environment);
  const found: (FoundTool & { readonly distance: number })[] = [];
  for (const tool of tools.filter((one) => isFor(one, path))) {
    const signed = await findSign(tool, above, environment);
    if (signed === undefined && tool.signs !== undefined) continue;
    const directory = (signed?.directory ?? above[0]!).path;
    const [name = "", ...args] = argvFor(tool, posix.relative(directory, file));
    const own = await findProgram(name, above, environment);
    const added = name === "rustfmt" ? await rustEdition(above, environment) : [];
    found.push({
      tool,
      directory,
      sign: signed?.sign,
      program: own ?? name,
      isOfProject: own !== undefined,
      args: [...args, ...added],
      distance:
        signed === undefined ? above.length : prefer === "nearest" ? above.indexOf(signed.directory) : 0,
    });
  }
  return found.sort((left, right) => left.distance - right.distance).map(({ distance: _, ...one }) => one);
}

/** Returns the commands, as calls declare them, of the formatters and checkers that a project has for a file. */
export async function usedBy(
  path: string,
  context: Pick<ToolContext, "environment">,
): Promise<ReadonlySet<string>> {
  const found = await Promise.all([
    findTools(path, { tools: formatters, prefer: "nearest" }, context),
    findTools(path, { tools: checkers, prefer: "first" }, context),
  ]);
  return new Set(found.flat().map(({ tool }) => commandOf(tool, path)));
}

interface DirectoryAbove {
  /** Relative to the workspace. */
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** Returns the directory of the file first and the workspace last. */
async function directoriesAbove(file: string, environment: Environment): Promise<readonly DirectoryAbove[]> {
  const above: DirectoryAbove[] = [];
  for (let path = parentOf(file); ; path = parentOf(path)) {
    above.push({ path, names: await namesIn(path, environment) });
    if (path === "") return above;
  }
}

async function namesIn(path: string, environment: Environment): Promise<ReadonlySet<string>> {
  const directory = await ifExists(environment.openDirectory(path || "."));
  try {
    return new Set((await directory?.entries())?.map(({ name }) => name));
  } finally {
    directory?.close();
  }
}

async function findSign(
  { signs = [] }: ProjectTool,
  above: readonly DirectoryAbove[],
  environment: Environment,
): Promise<{ readonly directory: DirectoryAbove; readonly sign: string } | undefined> {
  for (const directory of above) {
    for (const sign of signs) {
      const [pattern, ...text] = sign.split(" ");
      for (const name of namesLike(pattern!, directory.names)) {
        const path = posix.join(directory.path, name);
        if (text.length > 0 && !(await textOf(path, environment)).includes(text.join(" "))) continue;
        return { directory, sign: path };
      }
    }
  }
  return undefined;
}

function namesLike(pattern: string, names: ReadonlySet<string>): readonly string[] {
  if (!pattern.includes("*")) return names.has(pattern) ? [pattern] : [];
  const glob: Glob = parseGlob(pattern);
  return [...names].filter((name) => glob.matches(name, "file"));
}

/** Returns the nearest copy of a program in the folders where projects install their own. */
async function findProgram(
  name: string,
  above: readonly DirectoryAbove[],
  environment: Environment,
): Promise<string | undefined> {
  for (const { path, names } of above) {
    for (const folder of ownPrograms) {
      if (!names.has(folder.split("/")[0]!)) continue;
      const program = posix.join(path, folder, name);
      const info = await ifExists(environment.info(program));
      if (info?.kind === "file" && (info.mode & 0o111) !== 0)
        return posix.join(environment.workspace, program);
    }
  }
  return undefined;
}

const ownPrograms = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];

/**
 * Returns the edition for rustfmt, which reads only its own settings. A member may inherit it from its workspace. Default:
 * the newest, because rustfmt's is 2015, which does not know `async`.
 */
async function rustEdition(
  above: readonly DirectoryAbove[],
  environment: Environment,
): Promise<readonly string[]> {
  let edition = ownEdition;
  for (const { path, names } of above) {
    if (!names.has("Cargo.toml")) continue;
    const manifest = await textOf(posix.join(path, "Cargo.toml"), environment);
    if (inheritedEdition.test(manifest)) edition = workspaceEdition;
    const [, found] = edition.exec(manifest) ?? [];
    if (found !== undefined) return ["--edition", found];
  }
  for (const { path, names } of above)
    for (const name of ["rustfmt.toml", ".rustfmt.toml"])
      if (names.has(name) && ownEdition.test(await textOf(posix.join(path, name), environment))) return [];
  return ["--edition", newestEdition];
}

const ownEdition = /^\s*(?:(?:workspace\.)?package\.)?edition\s*=\s*["'](20\d\d)["']/m;
const inheritedEdition = /^\s*(?:package\.)?edition\s*(?:\.\s*workspace\b|=\s*\{\s*workspace\b)/m;
const workspaceEdition =
  /^\s*(?:workspace\.package\.|\[workspace\.package\](?:(?!^\s*\[)[\s\S])*?^\s*)edition\s*=\s*["'](20\d\d)["']/m;
const newestEdition = "2024";

async function textOf(path: string, environment: Environment): Promise<string> {
  const content = await ifExists(environment.readFile(path, { maxBytes: mostRead }));
  return new TextDecoder().decode(content?.bytes);
}

const mostRead = 1024 * 1024;

async function ifExists<Value>(looking: Promise<Value>): Promise<Value | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof ToolError && error.code !== "cancelled" && !isExhaustion(error)) return undefined;
    throw error;
  }
}

function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === "." ? "" : parent;
}

export function describeCommand({ tool, args }: Pick<FoundTool, "tool" | "args">): string {
  return [tool.command.split(" ")[0]!, ...args.map(shellWord)].join(" ");
}

/** Returns why a program in the workspace is not started: any tool that writes there may have created it. */
export async function inSandboxOnly(
  { isOfProject, tool }: FoundTool,
  { environment }: Pick<ToolContext, "environment">,
): Promise<string | undefined> {
  if (!isOfProject) return undefined;
  const isConfined =
    !environment.confinement?.unconfined && (await environment.sandbox?.())?.level !== "none";
  if (isConfined && environment.sandbox !== undefined) return undefined;
  const [name] = tool.command.split(" ");
  return `the project's ${name} runs only in a sandbox, and none is available`;
}

/** Returns the error for a file without a usable tool. `missing` says why the project's tools were not run. */
export function noneFound(
  what: "formatter" | "checker",
  path: string,
  missing: readonly string[],
): ToolError {
  const [tools, option] = what === "formatter" ? [formatters, "run_formatter"] : [checkers, "run_check"];
  const suited = tools.filter((tool) => isFor(tool, path));
  const without = `leave out \`${option}\`, or run your own with shell.run afterwards.`;
  const withoutForUser = `leave out --${option}, or run your own afterwards.`;
  if (suited.length === 0)
    return new ToolError("unavailable", `No ${what} is known for ${path}: it was not changed`, {
      hint: `L${without.slice(1)}`,
      forUser: { hint: `L${withoutForUser.slice(1)}` },
    });
  const reasons = missing.length === 0 ? "" : ` (${missing.join("; ")})`;
  const names = suited.map(({ command, signs = [] }) => {
    const [name] = command.split(" ");
    return signs.length === 0 ? name : `${name} with ${signs[0]}`;
  });
  return new ToolError(
    "unavailable",
    `The project has no ${what} for ${path}${reasons}: it was not changed`,
    {
      hint: `Supported: ${names.join(", ")}. Install one, ${without}`,
      forUser: { hint: `Supported: ${names.join(", ")}. Install one, ${withoutForUser}` },
    },
  );
}
