import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { atPinnedPath, contentAt } from "../system/pinned-path.ts";
import { commonDirectory, gitDirectoryOf } from "./git-dangers.ts";

/** Lines of unfinished rebases that run a command, by file. */
export type ExecLines = Readonly<Record<string, readonly string[]>>;

export function execLinesIn(gits: readonly string[]): ExecLines {
  const files = new Set(gits.flatMap(todoFilesOf));
  return Object.fromEntries([...files].map((file) => [file, textAt(file).split("\n").filter(isExec)]));
}

/** Comments out `exec` lines that were not there before. Returns remarks. */
export function disableExecLines(gits: readonly string[], before: ExecLines): readonly string[] {
  return Object.entries(execLinesIn(gits)).flatMap(([file, lines]) => {
    const added = lines.filter((line) => before[file]?.includes(line) !== true);
    if (added.length === 0) return [];
    const text = textAt(file)
      .split("\n")
      .map((line) => (added.includes(line) ? `# ${line}` : line));
    atPinnedPath(file, (pinned) => {
      writeFileSync(`${pinned}.new`, text.join("\n"), { flag: "wx", mode: 0o644, encoding: "latin1" });
      renameSync(`${pinned}.new`, pinned);
    });
    return [
      `The command left a rebase that would run commands outside the sandbox at the user's \`git rebase --continue\` (${added[0]!.trim()}). These lines of ${file} were commented out. Tell the user.`,
    ];
  });
}

/** Returns the existing todo files of a repository, of its other work trees, and of its submodules. */
function todoFilesOf(git: string): readonly string[] {
  const directory = gitDirectoryOf(git);
  if (directory === undefined) return [];
  const common = commonDirectory(directory);
  const others = ["worktrees", "modules"].flatMap((kind) =>
    namesIfReadable(join(common, kind)).map((name) => join(common, kind, name)),
  );
  return [directory, common, ...others]
    .map((path) => join(path, "rebase-merge", "git-rebase-todo"))
    .filter((path) => statsAt(path) !== undefined);
}

const maxBytes = 8 * 1024 * 1024;

function textAt(file: string): string {
  return Buffer.from(contentAt(file, maxBytes) ?? []).toString("latin1");
}

function isExec(line: string): boolean {
  return /^[ \t]*(?:exec|x)[ \t]/.test(line);
}
