import { accessSync, constants, existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { ToolError } from "../../../contract/error.ts";
import { undefinedUnlessExhausted } from "../../../lib/exhaustion.ts";
import { realPathOf } from "../../../sandbox/real-paths.ts";
import { attempt } from "../../../system/attempt.ts";
import { programUnavailable } from "../../../system/file-errors.ts";
import { packageFolder, requireFrom } from "../../../system/package-file.ts";
import { liesInside } from "../../../system/workspace-path.ts";

/** Paths of programs. A name with the value `undefined` is unavailable. */
export type Programs = Partial<Record<string, string | undefined>>;

export class ProgramFinder {
  readonly #programs: Programs;
  readonly #projects: readonly string[];
  readonly #directories: readonly string[];
  readonly #found = new Map<string, string>();

  /** `projects` are the folders whose programs are not used. */
  constructor(
    programs: Programs,
    projects: string | readonly string[] | undefined,
    searchPath: string = process.env.PATH ?? "",
  ) {
    this.#programs = programs;
    this.#projects = [projects ?? []].flat();
    this.#directories = trustedDirectories(searchPath, this.#projects);
  }

  /** The PATH for built-in programs. */
  get searchPath(): string {
    return this.#directories.join(delimiter);
  }

  async find(program: string): Promise<string> {
    if (isAbsolute(program)) return program;
    if (program === "" || program.includes("/") || program.includes("\0")) {
      throw new ToolError("invalid-input", `${JSON.stringify(program)} is not the name of a program`, {
        hint: "Use a plain name or an absolute path.",
      });
    }
    const known = this.#found.get(program);
    if (known !== undefined) return known;
    const found = Object.hasOwn(this.#programs, program)
      ? this.#programs[program]
      : ((program === "rg" ? bundledRipgrep() : undefined) ?? this.#search(program));
    if (found === undefined) throw programUnavailable(program);
    this.#found.set(program, found);
    return found;
  }

  #search(program: string): string | undefined {
    return this.#directories
      .map((directory) => join(directory, program))
      .find((path) => isExecutable(path) && isTrusted(path, this.#projects));
  }
}

/**
 * Returns the outermost folder around this one that is a project, else the folder itself. npm adds programs of all
 * projects above the current folder to the PATH. Undefined when the folder contains the user's home: the programs there
 * are the user's own.
 */
export function projectAround(folder: string): string | undefined {
  const home = homedir();
  if (liesInside(home, folder)) return undefined;
  let project = folder;
  for (let at = folder; dirname(at) !== at && !liesInside(home, at); at = dirname(at))
    if (projectMarks.some((name) => existsSync(join(at, name)))) project = at;
  return project;
}

const projectMarks = [".git", "package.json", ".toolcrib"];

/** Returns the directories outside the projects, because neither a project nor a command may provide a "git". */
function trustedDirectories(searchPath: string, projects: readonly string[]): readonly string[] {
  return searchPath
    .split(delimiter)
    .filter((directory) => isAbsolute(directory) && isTrusted(directory, projects));
}

/** Whether a path is in a system directory, or neither it nor its real path is in a project. */
function isTrusted(path: string, projects: readonly string[]): boolean {
  const isSystem = [path, dirname(path)].some((directory) => systemDirectories.has(directory));
  const paths = [resolve(path), realPathOf(path) ?? resolve(path)];
  return isSystem || paths.every((one) => !projects.some((project) => liesInside(one, project)));
}

// These directories are trusted even when a project is the whole disk.
const systemDirectories = new Set(["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"]);

/** Returns the path of the ripgrep in Toolcrib's dependencies, if it is installed. */
export function bundledRipgrep(): string | undefined {
  try {
    // `require` skips the empty directories that keep commands from creating a fake package. import() does not.
    const load = requireFrom(join(packageFolder(), "package.json"));
    const { rgPath }: typeof import("@vscode/ripgrep") = load("@vscode/ripgrep");
    return isExecutable(rgPath) ? rgPath : undefined;
  } catch (error) {
    return undefinedUnlessExhausted(error);
  }
}

function isExecutable(path: string): boolean {
  return attempt(() => accessSync(path, constants.X_OK) ?? statSync(path).isFile()) === true;
}
