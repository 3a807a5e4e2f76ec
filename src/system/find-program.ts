import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { ToolError } from "../contract/error.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { attempt } from "./attempt.ts";
import { programUnavailable } from "./file-errors.ts";
import { packageFolder, requireFrom } from "./package-file.ts";
import { liesInside } from "./workspace-path.ts";

/** Paths of programs. A name with the value `undefined` is unavailable. */
export type Programs = Partial<Record<string, string | undefined>>;

/**
 * Finds the programs that run outside the sandbox, or that decide what runs inside. A project, the folders above it and
 * a call must not provide a "git", so their folders on the PATH do not count.
 */
export class ProgramFinder {
  readonly #programs: Programs;
  readonly #untrusted: Untrusted;
  readonly #trusted: readonly string[];
  readonly #others: readonly string[];
  readonly #found = new Map<string, string>();

  /** `workspaces` are the folders that commands and tools can write. */
  constructor(
    programs: Programs,
    workspaces: string | readonly string[],
    searchPath: string = process.env.PATH ?? "",
  ) {
    this.#programs = programs;
    this.#untrusted = new Untrusted([workspaces].flat());
    const directories = searchPath.split(delimiter).filter(Boolean);
    this.#trusted = directories.filter((directory) => this.#untrusted.lacks(directory));
    this.#others = directories.filter((directory) => !this.#trusted.includes(directory));
  }

  /** The PATH for programs that run outside the sandbox. */
  get searchPath(): string {
    return this.#trusted.join(delimiter);
  }

  /** The whole PATH, in an order in which no program of the workspace replaces one of the system. */
  get searchPathInside(): string {
    return [...this.#trusted, ...this.#others].join(delimiter);
  }

  async find(program: string): Promise<string> {
    return this.findNow(program);
  }

  findNow(program: string): string {
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
    return this.#trusted
      .map((directory) => join(directory, program))
      .find((path) => isExecutable(path) && this.#untrusted.lacks(path));
  }
}

/** Recognizes paths in a project and in the `node_modules` of a folder above a workspace, which npm adds to the PATH. */
class Untrusted {
  readonly #workspaces: readonly string[];
  readonly #projects: readonly string[];

  constructor(workspaces: readonly string[]) {
    this.#workspaces = [...new Set(workspaces.flatMap((path) => [resolve(path), realPathOf(path)]))];
    this.#projects = [...new Set(this.#workspaces.flatMap((path) => [path, projectAround(path) ?? path]))];
  }

  /** Whether neither the path nor its real path is in one of these folders. */
  lacks(path: string): boolean {
    return isAbsolute(path) && [resolve(path), realPathOf(path)].every((one) => !this.#has(one));
  }

  #has(path: string): boolean {
    const at = `${path}/`.indexOf("/node_modules/");
    if (at >= 0 && this.#workspaces.some((folder) => liesInside(folder, path.slice(0, at) || "/")))
      return true;
    return this.#projects.some(
      (project) =>
        liesInside(path, project) &&
        // A project can be the whole disk.
        !systemFolders.some((system) => liesInside(system, project) && liesInside(path, system)),
    );
  }
}

const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt/homebrew", "/nix/store", "/snap"];

/** Returns the path without links, also of a path that does not exist. */
function realPathOf(path: string): string {
  const real = attempt(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const parent = dirname(resolve(path));
  return parent === resolve(path) ? parent : join(realPathOf(parent), resolve(path).slice(parent.length));
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
