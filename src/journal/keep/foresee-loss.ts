import { posix } from "node:path";
import type { Environment, FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { type PlannedChange, undoLimits } from "../../contract/history.ts";
import { ignoredLimits, leftOutFolders } from "../../contract/snapshot.ts";
import { showSize } from "../../lib/text/format-quantity.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { listEntries, specialFile, tooMuch, unreadable } from "./before-images.ts";

export type Foreseeing = Pick<Environment, "workspace" | "info" | "openDirectory" | "readBytes">;

/**
 * Predicts which paths undo could not restore after a call, and returns the reasons by path. When in doubt, predicts a
 * loss. Leaves out a path that does not exist or cannot be reached, because nothing is lost there.
 */
export async function foreseeLoss(
  changes: readonly PlannedChange[],
  realPaths: ReadonlyMap<string, string>,
  environment: Foreseeing,
): Promise<ReadonlyMap<string, string>> {
  const losses = new Map<string, string>();
  // A command may change ignored files, of which less is stored.
  const budgets: Record<PlannedChange["by"], Budget> = {
    tool: { ...undoLimits },
    command: { ...ignoredLimits },
  };
  for (const change of changes) {
    if (losses.has(change.path)) continue;
    const real = realPaths.get(change.path) ?? posix.resolve(environment.workspace, change.path);
    const reason = await new Forecast(change, budgets[change.by], environment).lossAt(real);
    if (reason !== undefined) losses.set(change.path, reason);
  }
  return losses;
}

interface Budget {
  maxBytes: number;
  readonly maxFileBytes?: number;
  readonly maxEntries: number;
}

class Forecast {
  readonly #change: PlannedChange;
  /** The budget, which all changes of the call share. */
  readonly #budget: Budget;
  readonly #environment: Foreseeing;

  constructor(change: PlannedChange, budget: Budget, environment: Foreseeing) {
    this.#change = change;
    this.#budget = budget;
    this.#environment = environment;
  }

  async lossAt(realPath: string): Promise<string | undefined> {
    if (this.#isMadeAgain(realPath)) return undefined;
    const excluded = this.#excluded(realPath);
    if (excluded !== undefined) return excluded;
    const { path, kind } = this.#change;
    const info = await this.#environment.info(path, { followLinks: kind === "write" }).catch(ifUnreachable);
    if (info === undefined) return undefined;
    if (info.kind !== "directory") return this.#lossOf(path, info);
    return kind === "delete" ? this.#lossBelow(realPath, info) : undefined;
  }

  async #lossBelow(realPath: string, info: FileInfo): Promise<string | undefined> {
    const { maxEntries } = this.#budget;
    const found = await listEntries(this.#environment, { realPath, info }, { maxEntries }).catch(
      ifUnreachable,
    );
    if (found === undefined) return "it could not be listed";
    if (typeof found === "string") return found;
    for (const entry of found) {
      if (this.#isMadeAgain(entry.realPath)) continue;
      const reason =
        this.#excluded(entry.realPath) ??
        (entry.info === undefined
          ? "a name in it is not valid UTF-8"
          : await this.#lossOf(entry.realPath, entry.info));
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** Returns the reason why undo never restores a path, whatever it contains, because of its folder. */
  #excluded(realPath: string): string | undefined {
    return this.#namesOf(realPath).includes(".git") ? "git's own files" : undefined;
  }

  /** Whether a command changes a folder such as node_modules, whose content programs can make again. */
  #isMadeAgain(realPath: string): boolean {
    return this.#change.by === "command" && this.#namesOf(realPath).some((name) => leftOutFolders.has(name));
  }

  #namesOf(realPath: string): readonly string[] {
    const { workspace } = this.#environment;
    return liesInside(realPath, workspace) ? posix.relative(workspace, realPath).split("/") : [];
  }

  async #lossOf(path: string, { kind, bytes, mode }: FileInfo): Promise<string | undefined> {
    if (kind === "other") return specialFile;
    // A moved file is at its new path, and a link is stored as a whole.
    if (kind !== "file" || this.#change.kind === "move") return undefined;
    const { maxFileBytes = bytes, maxBytes } = this.#budget;
    if (bytes > maxFileBytes) return `${showSize(bytes)} may be too large to store`;
    if (bytes > maxBytes) return tooMuch(bytes);
    this.#budget.maxBytes -= bytes;
    return (mode & everyoneReads) === everyoneReads || bytes === 0 || (await this.#isReadable(path))
      ? undefined
      : unreadable;
  }

  #isReadable(path: string): Promise<boolean> {
    return this.#environment.readBytes(path, { offset: 0, length: 1 }).then(
      () => true,
      (error) => !(error instanceof ToolError && error.code === "denied"),
    );
  }
}

const everyoneReads = 0o444;

/** Ignores the error, because the tool or the program will report it. */
function ifUnreachable(error: unknown): undefined {
  if (!(error instanceof ToolError)) throw error;
}
