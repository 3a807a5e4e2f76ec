import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { ToolError } from "../../contract/error.ts";
import type { PathGuard } from "../../contract/guard.ts";
import { attempt } from "../../system/attempt.ts";
import {
  asToolError,
  isOutputHandle,
  isReadOnlyOutput,
  LeadsOutside,
  outsideWorkspace,
} from "../../system/file-errors.ts";
import { PathChecker } from "../../system/path-checker.ts";
import { type Pinning, PortablePinning, ProcPinning } from "../../system/pinning.ts";
import { liesInside, relativeToWorkspace, withSlash } from "../../system/workspace-path.ts";
import { locateEntry, realPathOf } from "./files/locate-entry.ts";
import type { NamedPath } from "./files/read-file.ts";

/** Directories that tools may use in addition to the workspace. The guard decides about reads and writes there. */
interface ExtraRootsOptions {
  /** Absolute real paths. */
  readonly directories: readonly string[];
  /** Those of them that calls can write. Default: none. */
  readonly writable?: readonly string[];
  /** Whether links in the workspace may lead to these directories. */
  readonly links: "lead out" | "stay inside";
}

export interface LocatedPath {
  readonly pinning: Pinning;
  readonly named: NamedPath;
}

interface Links {
  readonly followLinks: boolean;
}

export interface LocalPathsOptions {
  readonly workspace: string;
  /** The directory of stored outputs, which are read by their handles. */
  readonly outputs?: string;
  /** Refuses real paths to every caller. */
  readonly guard?: PathGuard;
  /** Directories outside the workspace that paths can name. Default: none. */
  readonly extraRoots?: ExtraRootsOptions;
  /** Replaces an absolute path outside the workspace by another one. */
  readonly redirect?: ((path: string) => string) | undefined;
  /** How directories are pinned. Default: by handle when the system has /proc. */
  readonly pinning?: "proc" | "portable";
}

/** Resolves the caller's paths: in the workspace, of a stored output, or in an extra root. */
export class LocalPaths {
  readonly workspace: string;
  /** Pins below the workspace. */
  readonly inside: Pinning;
  /** Pins below the file system root, for paths in extra roots; undefined when there are none. */
  readonly outside: Pinning | undefined;
  readonly #extraRoots: ExtraRootsOptions | undefined;
  readonly #redirect: LocalPathsOptions["redirect"];
  readonly #spellings: readonly [string, ...string[]];
  readonly #prefix: string;
  readonly #outputs: string | undefined;
  readonly #pin: (root: string, guard?: PathGuard) => Pinning;

  /** `workspace` is the real path. The option may be another spelling of it. */
  constructor(workspace: string, options: LocalPathsOptions) {
    const { outputs, guard, extraRoots, pinning } = options;
    this.workspace = workspace;
    this.#spellings = [workspace, resolve(options.workspace)];
    this.#prefix = withSlash(workspace);
    this.#outputs = outputs;
    const canPinByHandle = process.platform === "linux" && existsSync("/proc/self/fd");
    const byHandle = pinning === undefined ? canPinByHandle : pinning === "proc";
    const Pinned = byHandle ? ProcPinning : PortablePinning;
    this.#pin = (root, guardOfRoot) => new Pinned(root, new PathChecker(root, guardOfRoot));
    this.inside = this.#pin(workspace, guard);
    this.#extraRoots = extraRoots;
    this.#redirect = options.redirect;
    // The guard checks the resolved path, because links may be swapped at any moment.
    const inRoots: PathGuard = (use, realPath) =>
      guard?.(use, realPath) ?? (this.#isInRoot(realPath) ? undefined : outsideRoots);
    this.outside = extraRoots && this.#pin("/", inRoots);
  }

  /** Returns the absolute path for the caller's spelling. */
  name(path: string): NamedPath {
    try {
      const relative = relativeToWorkspace(path, this.#spellings);
      return { given: path, absolute: relative === "" ? this.workspace : this.#prefix + relative };
    } catch (error) {
      const isOutside = error instanceof ToolError && error.code === "outside-workspace";
      if (!isOutside || this.#extraRoots === undefined) throw error;
      const absolute = resolve(this.workspace, path);
      return { given: path, absolute: this.#redirect?.(absolute) ?? absolute };
    }
  }

  /** Returns the pinned tree of a path: the workspace, unless the path leads into an extra root. */
  locate(path: string, options: Links): LocatedPath {
    const named = this.name(path);
    const { inside, outside } = this;
    if (outside === undefined) return { pinning: inside, named };
    const isInside = liesInside(named.absolute, this.workspace);
    if (isInside && !this.#leadsOut(named.absolute, options)) return { pinning: inside, named };
    // A path that cannot be resolved is checked as it is.
    const location = attempt(() => locateEntry(outside, named.absolute, options));
    location?.directory.close();
    if (!this.#isInRoot(location === undefined ? named.absolute : realPathOf(location)))
      throw outsideWorkspace(path, this.workspace);
    return { pinning: outside, named };
  }

  /** Like `locate`, for a path that is changed. Stored outputs are read-only. */
  locateForChange(path: string, options: Links): LocatedPath {
    this.refuseOutput(path);
    return this.locate(path, options);
  }

  refuseOutput(path: string): void {
    if (this.#outputOf(path) !== undefined) throw isReadOnlyOutput(path);
  }

  /** Reads a path, which may be the handle of a stored output. */
  reading<Result>(
    path: string,
    act: (pinning: Pinning, named: NamedPath) => Result,
    options: Links = { followLinks: true },
  ): Result {
    try {
      const outputs = this.#outputOf(path);
      if (outputs === undefined) {
        const { pinning, named } = this.locate(path, options);
        return act(pinning, named);
      }
      const pinning = this.#pin(realpathSync.native(outputs));
      try {
        return act(pinning, { given: path, absolute: withSlash(pinning.root) + path });
      } finally {
        pinning.close();
      }
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  async changing<Result>(
    path: string,
    options: Links,
    act: (located: LocatedPath) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await act(this.locateForChange(path, options));
    } catch (error) {
      throw asToolError(error, path);
    }
  }

  close(): void {
    this.inside.close();
    this.outside?.close();
  }

  #isInRoot(realPath: string): boolean {
    const roots = [this.workspace, ...(this.#extraRoots?.directories ?? [])];
    return roots.some((root) => liesInside(realPath, root));
  }

  /** Whether a path of the workspace leads out of it through a link, if links may do that. */
  #leadsOut(absolute: string, options: Links): boolean {
    if (this.#extraRoots?.links === "stay inside") return false;
    try {
      locateEntry(this.inside, absolute, options).directory.close();
      return false;
    } catch (error) {
      // Any other error is thrown again when the path is used in the workspace.
      return error instanceof LeadsOutside;
    }
  }

  #outputOf(path: string): string | undefined {
    if (this.#outputs === undefined || !isOutputHandle(path)) return undefined;
    return existsSync(join(this.#outputs, path)) ? this.#outputs : undefined;
  }
}

const outsideRoots = { reason: "is outside the workspace", rule: "workspace" };
