import type { PathGuard } from "../contract/guard.ts";
import { RefusedPath } from "../lib/refused-path.ts";
import { withSlash } from "./workspace-path.ts";

/** Asks the guard about a real path each time, because the answer may change. Without a guard all is allowed. */
export class PathChecker {
  readonly #guard: PathGuard | undefined;
  readonly #cut: number;

  constructor(workspace: string, guard: PathGuard | undefined) {
    this.#guard = guard;
    // Without a workspace, messages show absolute paths.
    this.#cut = workspace === "/" ? 0 : withSlash(workspace).length;
  }

  get isGuarded(): boolean {
    return this.#guard !== undefined;
  }

  /** Throws when the path must not be used that way. `given` is the caller's spelling, or a folder above it. */
  check(use: "read" | "write", realPath: string, given: string): void {
    const refusal = this.#guard?.(use, realPath);
    if (refusal !== undefined) throw new RefusedPath(given, realPath.slice(this.#cut), refusal);
  }
}
