import { type PathGuard, type PathRefusal, RefusedPath } from "../contract/guard.ts";
import { withSlash } from "./workspace-path.ts";

/** Asks the guard about real paths, and remembers what it said. Without a guard it lets everything pass. */
export class Gate {
  readonly #guard: PathGuard | undefined;
  readonly #cut: number;
  readonly #said = {
    read: new Map<string, PathRefusal | null>(),
    write: new Map<string, PathRefusal | null>(),
  };

  constructor(workspace: string, guard: PathGuard | undefined) {
    this.#guard = guard;
    this.#cut = withSlash(workspace).length;
  }

  get isGuarded(): boolean {
    return this.#guard !== undefined;
  }

  /** Throws for what must not be used so. `given`: how the caller spelled it, or what holds it. */
  pass(use: "read" | "write", realPath: string, given: string): void {
    if (this.#guard === undefined) return;
    const said = this.#said[use];
    let refusal = said.get(realPath);
    if (refusal === undefined) {
      refusal = this.#guard(use, realPath) ?? null;
      if (said.size >= maxRemembered) said.clear();
      said.set(realPath, refusal);
    }
    if (refusal !== null) throw new RefusedPath(given, realPath.slice(this.#cut), refusal);
  }
}

const maxRemembered = 4096;
