import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError } from "../../../contract/error.ts";
import { programUnavailable } from "../../../system/file-errors.ts";
import { liesInside } from "../../../system/workspace-path.ts";

/** Where to find programs. A name present with `undefined` is unavailable. */
export type Programs = Partial<Record<string, string | undefined>>;

/** Finds programs by name, each once. */
export class ProgramFinder {
  readonly #programs: Programs;
  readonly #workspace: string;
  readonly #directories: readonly string[];
  readonly #found = new Map<string, string>();

  constructor(programs: Programs, workspace: string, searchPath: string = process.env.PATH ?? "") {
    this.#programs = programs;
    this.#workspace = workspace;
    this.#directories = trustedDirectories(searchPath, workspace);
  }

  /** The PATH for built-in programs. */
  get searchPath(): string {
    return this.#directories.join(delimiter);
  }

  async find(program: string): Promise<string> {
    if (isAbsolute(program)) return program;
    if (program === "" || program.includes("/") || program.includes("\0")) {
      throw new ToolError("invalid-input", `${JSON.stringify(program)} is no program`, {
        hint: "Give a plain name or an absolute path.",
      });
    }
    const known = this.#found.get(program);
    if (known !== undefined) return known;
    const found = Object.hasOwn(this.#programs, program)
      ? this.#programs[program]
      : ((program === "rg" ? await bundledRipgrep() : undefined) ?? this.#search(program));
    if (found === undefined) throw programUnavailable(program);
    this.#found.set(program, found);
    return found;
  }

  #search(program: string): string | undefined {
    return this.#directories
      .map((directory) => join(directory, program))
      .find((path) => isExecutable(path) && isTrusted(path, this.#workspace));
  }
}

/** A project must not bring its own "git", nor may a command make one: what lies in the workspace does not count. */
function trustedDirectories(searchPath: string, workspace: string): readonly string[] {
  return searchPath
    .split(delimiter)
    .filter((directory) => isAbsolute(directory) && isTrusted(directory, workspace));
}

/** Also where it leads. */
function isTrusted(path: string, workspace: string): boolean {
  const isSystem = [path, dirname(path)].some((directory) => systemDirectories.has(directory));
  return isSystem || [resolve(path), realPathOf(path)].every((place) => !liesInside(place, workspace));
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

// Also when the workspace is the whole disk.
const systemDirectories = new Set(["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"]);

async function bundledRipgrep(): Promise<string | undefined> {
  try {
    // Skips the empty directories that keep commands from creating a fake package; import() does not skip them.
    const found = createRequire(import.meta.url).resolve("@vscode/ripgrep");
    const { rgPath }: typeof import("@vscode/ripgrep") = await import(pathToFileURL(found).href);
    return isExecutable(rgPath) ? rgPath : undefined;
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
