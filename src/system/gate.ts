import { type PathGuard, RefusedPath } from "../contract/guard.ts";
import { withSlash } from "./workspace-path.ts";

/** Asks the guard about real paths, each time: what it says may change. Without a guard it lets everything pass. */
export class Gate {
  readonly #guard: PathGuard | undefined;
  readonly #cut: number;

  constructor(workspace: string, guard: PathGuard | undefined) {
    this.#guard = guard;
    // Outside a workspace paths are told whole.
    this.#cut = workspace === "/" ? 0 : withSlash(workspace).length;
  }

  get isGuarded(): boolean {
    return this.#guard !== undefined;
  }

  /** Throws for what must not be used so. `given`: how the caller spelled it, or what holds it. */
  pass(use: "read" | "write", realPath: string, given: string): void {
    const refusal = this.#guard?.(use, realPath);
    if (refusal !== undefined) throw new RefusedPath(given, realPath.slice(this.#cut), refusal);
  }
}
