import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ToolError } from "../../../contract/error.ts";
import { programUnavailable } from "../../failures.ts";
import { liesInside } from "../../workspace-path.ts";

/** Where to find programs. A name present with `undefined` is unavailable. */
export type Programs = Partial<Record<string, string | undefined>>;

/** Finds programs by name, each once. */
export class ProgramFinder {
  readonly #programs: Programs;
  readonly #workspace: string;
  readonly #searchPath: string;
  readonly #found = new Map<string, string>();

  constructor(programs: Programs, workspace: string, searchPath: string = process.env.PATH ?? "") {
    this.#programs = programs;
    this.#workspace = workspace;
    this.#searchPath = searchPath;
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
    return this.#searchPath
      .split(delimiter)
      .filter((directory) => this.#isTrusted(directory))
      .map((directory) => join(directory, program))
      .find(isExecutable);
  }

  /** A project must not bring its own "git": what lies in the workspace does not count. */
  #isTrusted(directory: string): boolean {
    if (!isAbsolute(directory)) return false;
    return systemDirectories.has(directory) || !liesInside(resolve(directory), this.#workspace);
  }
}

// Also when somebody takes the whole disk as the workspace.
const systemDirectories = new Set(["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"]);

async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
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
