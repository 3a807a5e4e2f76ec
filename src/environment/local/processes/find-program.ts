import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { ToolError } from "../../../contract/error.ts";
import { programUnavailable } from "../../failures.ts";
import { liesInside } from "../../workspace-path.ts";

/** Where to find programs. A name present with `undefined` is unavailable. */
export type Programs = Partial<Record<string, string | undefined>>;

/** Finds programs by name, each once. */
export class ProgramFinder {
  readonly #programs: Programs;
  readonly #workspace: string;
  readonly #found = new Map<string, string>();

  constructor(programs: Programs, workspace: string) {
    this.#programs = programs;
    this.#workspace = workspace;
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
      : ((program === "rg" ? await bundledRipgrep() : undefined) ?? this.#searchPath(program));
    if (found === undefined) throw programUnavailable(program);
    this.#found.set(program, found);
    return found;
  }

  /** Only absolute directories outside the workspace count: a project must not bring its own "git". */
  #searchPath(program: string): string | undefined {
    const directories = (process.env.PATH ?? "").split(delimiter);
    return directories
      .filter((directory) => isAbsolute(directory) && !liesInside(directory, this.#workspace))
      .map((directory) => join(directory, program))
      .find(isExecutable);
  }
}

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
