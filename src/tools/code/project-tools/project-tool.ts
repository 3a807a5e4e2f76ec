import { posix } from "node:path";
import type { ExecuteAccess } from "../../../contract/access.ts";
import { toCommandLine } from "../../../lib/shell-quote.ts";
import { commandAccess } from "../../shell/command-access.ts";

/** A program that projects use to format or to check their files. */
export interface ProjectTool {
  /**
   * Its words. `{path}` stands for the file, `{extension}` for how its name ends. A formatter is given the text to read and
   * prints it formatted.
   */
  readonly command: string;
  /** Which files it is for: how their names end, or whole names with a capital letter. */
  readonly files: string;
  /**
   * What shows that a project uses it, in the directory of the file or one above: a name, also with `*` in it, and perhaps
   * what must stand in that file. Without any it is the usual one of its language.
   */
  readonly signs?: readonly string[];
  /** Exit codes that are no failure, beside 0. */
  readonly passes?: readonly number[];
  /** A word that it needs, and only files of the project can tell. */
  readonly adds?: "rust-edition";
}

export function isFor({ files }: ProjectTool, path: string): boolean {
  const name = posix.basename(path);
  const names = files.split(" ");
  return (/[A-Z]/.test(name) && names.includes(name)) || names.includes(extensionOf(name));
}

/**
 * What a call announces that lets one of these tools loose on a file. Which of them is known only when it runs: then one
 * is run, with the path as it is seen from where it is started.
 */
export function accessesFor(tools: readonly ProjectTool[], path: string): readonly ExecuteAccess[] {
  return tools
    .filter((tool) => isFor(tool, path))
    .map((tool) => commandAccess({ command: toCommandLine(wordsFor(tool, path)) }));
}

/** The command in words, for a file as it is seen from where it starts. */
export function wordsFor({ command }: ProjectTool, path: string): readonly string[] {
  // What begins with "-" would be taken for an option.
  const seen = path.startsWith("-") ? `./${path}` : path;
  return command
    .split(" ")
    .map((word) =>
      word.replace(/\{(path|extension)\}/, (_, name) => (name === "path" ? seen : extensionOf(path))),
    );
}

function extensionOf(path: string): string {
  return posix.extname(path).slice(1).toLowerCase();
}
