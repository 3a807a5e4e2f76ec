import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/** Snapshots as peers take them: a separate repository next to the workspace, `add --all`, `write-tree`. */
export class ShadowGit {
  readonly #workspace: string;
  readonly #directory: string;

  constructor(workspace: string, directory: string) {
    this.#workspace = workspace;
    this.#directory = directory;
  }

  /** Deletes all snapshots. */
  begin(): void {
    rmSync(this.#directory, { recursive: true, force: true });
    this.#git("init", "--quiet");
    this.#git("config", "core.fsync", "none");
  }

  /** Returns the name of a tree with all files. */
  snapshot(): string {
    this.#git("add", "--all");
    return this.#git("write-tree").trim();
  }

  /** Returns the differences from a tree. */
  changesSince(tree: string): readonly string[] {
    return this.#git("diff", "--name-only", "-z", tree).split("\0").slice(0, -1);
  }

  /** Restores the files of a tree. */
  restore(tree: string, paths: readonly string[]): void {
    this.#git("checkout", "--quiet", tree, "--", ...paths);
  }

  #git(...args: string[]): string {
    const places = [`--git-dir=${this.#directory}`, `--work-tree=${this.#workspace}`];
    return execFileSync("git", [...places, ...args], {
      cwd: this.#workspace,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }
}
