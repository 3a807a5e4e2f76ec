import { ToolError } from "../contract/error.ts";

/**
 * Returns whether the system had no descriptors or memory left. Such a failure says nothing about the file or program:
 * it must not be taken for its absence. Also recognizes an error whose cause is one.
 */
export function isExhaustion(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && exhausted.has(cause.code)) return true;
  return false;
}

// Node reports ERR_INVALID_PACKAGE_CONFIG when it has no descriptor for the package.json of a module that it loads.
const exhausted: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ERR_INVALID_PACKAGE_CONFIG"]);

/** Returns the error of a call that failed only because descriptors or memory ran out. */
export function exhaustionError(cause: unknown): ToolError {
  return new ToolError("unavailable", "Too many files are open, or memory has run out", {
    hint: "Retry when other work has finished.",
    forUser: { hint: "Raise the limit of open files, then start Toolcrib again: ulimit -n 4096" },
    cause,
  });
}

/** Handles a rejection: an entry that cannot be used counts as undefined, but exhaustion is thrown again. */
export function undefinedUnlessExhausted(error: unknown): undefined {
  if (isExhaustion(error)) throw error;
}
