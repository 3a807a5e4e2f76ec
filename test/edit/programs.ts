import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTree, type StoredFile, type Tree, writeTree } from "./trees.ts";

/** A program's result for every file; undefined where a hunk did not fit. */
type Outcomes = ReadonlyMap<string, StoredFile | undefined>;

export type ApplyDiff = (folder: string, before: Tree, diff: string) => Outcomes;

export interface TreePair {
  readonly before: Tree;
  readonly after: Tree;
  /** For git diff. */
  readonly options: readonly string[];
}

/** Returns git's diff for each pair. */
export function gitDiffs(folder: string, pairs: readonly TreePair[]): readonly string[] {
  const repository = join(folder, "repository");
  run("git", ["init", "-q", repository], folder);
  const [before, after] = (["before", "after"] as const).map((side) => {
    for (const [index, pair] of pairs.entries()) {
      rmSync(join(repository, `${index}`), { recursive: true, force: true });
      writeTree(join(repository, `${index}`), pair[side]);
    }
    run("git", ["-c", "core.autocrlf=false", "add", "-A", "."], repository);
    return run("git", ["write-tree"], repository).trim();
  });
  const diffs = pairs.map(({ options }, index) =>
    run("git", ["diff", `--relative=${index}/`, ...options, before!, after!], repository),
  );
  rmSync(repository, { recursive: true });
  return diffs;
}

/** The programs on this machine that apply diffs, by name. */
export const programs: ReadonlyMap<string, ApplyDiff> = new Map([
  ["git apply", applyWith("git", ["apply", "--reject", "--unidiff-zero", "--whitespace=nowarn", "../diff"])],
  ...(/GNU patch/.test(run("patch", ["--version"], "."))
    ? [
        [
          "GNU patch",
          applyWith("patch", ["-p1", "-s", "-f", "--no-backup-if-mismatch", "-i", "../diff"]),
        ] as const,
      ]
    : []),
]);

export const programNames: string =
  programs.size > 1
    ? [...programs.keys()].join(" and ")
    : "git apply alone (GNU patch is not on this machine)";

function applyWith(program: string, parameters: readonly string[]): ApplyDiff {
  return (folder, before, diff) => {
    const copy = join(folder, "place");
    writeTree(copy, before);
    writeFileSync(join(folder, "diff"), diff);
    run(program, parameters, copy);
    const outcomes = new Map<string, StoredFile | undefined>(readTree(copy));
    rmSync(copy, { recursive: true });
    for (const path of [...outcomes.keys()].filter((each) => each.endsWith(".rej"))) {
      outcomes.delete(path);
      outcomes.set(path.slice(0, -".rej".length), undefined);
    }
    return outcomes;
  };
}

/**
 * Returns the output of a program; undefined when it is not installed. It sees no settings of the user and no
 * repository around it.
 */
function run(program: string, parameters: readonly string[], folder: string): string {
  const { stdout } = spawnSync(program, parameters, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: {
      PATH: process.env.PATH,
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CEILING_DIRECTORIES: dirname(folder),
    },
  });
  return stdout ?? "";
}
