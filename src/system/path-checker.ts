import type { PathGuard } from "../contract/guard.ts";
import { RefusedPath } from "../lib/refused-path.ts";
import { withSlash } from "./workspace-path.ts";

/** Checks real paths with the guard, every time because its answer may change. Without a guard everything is allowed. */
export class PathChecker {
  readonly #guard: PathGuard | undefined;
  readonly #cut: number;

  constructor(workspace: string, guard: PathGuard | undefined) {
    this.#guard = guard;
    // Without a workspace, paths are shown whole.
    this.#cut = workspace === "/" ? 0 : withSlash(workspace).length;
  }

  get isGuarded(): boolean {
    return this.#guard !== undefined;
  }

  /**
   * Throws when the path must not be used that way. `given`: the caller's spelling, or the path of what contains it.
   */
  check(use: "read" | "write", realPath: string, given: string): void {
    const refusal = this.#guard?.(use, realPath);
    if (refusal !== undefined) throw new RefusedPath(given, realPath.slice(this.#cut), refusal);
  }
}
