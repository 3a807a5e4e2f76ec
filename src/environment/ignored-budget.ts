import { ToolError } from "../contract/error.ts";
import { type IgnoredLimits, ignoredLimits, leftOutFolders } from "../contract/snapshot.ts";

/** Decides which ignored entries a snapshot covers: all but `leftOutFolders`, within `ignoredLimits`. */
export class IgnoredBudget {
  readonly #maxFileBytes: number;
  #entries: number;
  #bytes: number;

  constructor(limits: IgnoredLimits = ignoredLimits) {
    this.#maxFileBytes = limits.maxFileBytes;
    this.#entries = limits.maxEntries;
    this.#bytes = limits.maxBytes;
  }

  /** Whether to enter an ignored directory, by its name. */
  enters(name: string): boolean {
    return this.#entries > 0 && !leftOutFolders.has(name);
  }

  /** Counts the entries of an ignored directory, unless there are too many. */
  takes(entries: number): boolean {
    if (entries > this.#entries) return false;
    this.#entries -= entries;
    return true;
  }

  /** Counts the content of an ignored file, unless it is too large. */
  stores(bytes: number): boolean {
    if (bytes > this.#maxFileBytes || bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** Ignored files up to this size are always covered, except in ignored directories, so that most need no decision. */
export const smallFileBytes: number = 1024 * 1024;

/** Returns the paths that begin with `prefix`, without it. */
export function namesBelow(prefix: string, paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)));
}

export function tooManyEntries(maxEntries: number): ToolError {
  const message = `There are more than ${maxEntries} files and folders`;
  return new ToolError("too-large", message, { details: { kind: "too-many-entries" } });
}
