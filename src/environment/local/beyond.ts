import type { PathGuard } from "../../contract/guard.ts";
import { LeadsOutside } from "../../system/failures.ts";
import type { Pinning } from "../../system/pinning/pinning.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { findPlace, realPathOf } from "./files/place.ts";

/** What can be reached besides the workspace. Who may read or write there is for the guard to say. */
export interface LocalReach {
  /** Absolute and real. */
  readonly directories: readonly string[];
  /** Whether links in the workspace lead there, too, or only paths that say so. */
  readonly links: "lead out" | "stay inside";
}

/** Refuses what cannot be reached, on the path that was: links may turn elsewhere at any moment. */
export function withinReach(
  { directories }: LocalReach,
  workspace: string,
  guard: PathGuard | undefined,
): PathGuard {
  const reached = [workspace, ...directories];
  return (use, realPath) =>
    guard?.(use, realPath) ??
    (reached.some((directory) => liesInside(realPath, directory)) ? undefined : outOfReach);
}

const outOfReach = { reason: "lies outside the workspace", rule: "reach" };

/** The machine around a workspace, held by one pinning of all there is. */
export class Beyond {
  /** Of the root directory. */
  readonly pinning: Pinning;
  readonly #reach: LocalReach;
  readonly #inside: Pinning;

  constructor(pinning: Pinning, reach: LocalReach, inside: Pinning) {
    this.pinning = pinning;
    this.#reach = reach;
    this.#inside = inside;
  }

  /** Whether a path of the workspace leads out of it, as far as links may. */
  isBehind(absolute: string, options: { readonly followLinks: boolean }): boolean {
    if (this.#reach.links === "stay inside") return false;
    try {
      findPlace(this.#inside, absolute, options).directory.close();
      return false;
    } catch (error) {
      // Whatever else is wrong, the workspace says.
      return error instanceof LeadsOutside;
    }
  }

  reaches(absolute: string, options: { readonly followLinks: boolean }): boolean {
    const { directories } = this.#reach;
    const reached = [this.#inside.root, ...directories];
    return reached.some((directory) => liesInside(this.#leadsTo(absolute, options), directory));
  }

  /** What cannot be looked at is where it says. */
  #leadsTo(absolute: string, options: { readonly followLinks: boolean }): string {
    try {
      const place = findPlace(this.pinning, absolute, options);
      place.directory.close();
      return realPathOf(place);
    } catch {
      return absolute;
    }
  }
}
