import { setTimeout } from "node:timers/promises";
import { throwIfAborted } from "../lib/async/abort.ts";
import { explainFailure } from "./explain-failure.ts";
import { type GitOptions, type GitResult, type Repository, runGit } from "./run-git.ts";

/**
 * Runs a git command that writes, in the sandbox of the call, so that links and other processes cannot redirect it.
 * Waits a moment for another git process that holds a lock. Returns the result, whatever its exit code.
 */
export async function tryWritingGit(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await runGit(repository, args, { use: "write", confinement: "call", ...options });
    throwIfAborted(repository.signal);
    // Hooks must not run twice.
    const mayRepeat = options.settings?.["core.hooksPath"] === undefined && tries < maxTries;
    if (result.code === 0 || !mayRepeat || !isLocked(result.stderr)) return result;
    await setTimeout(pauseMs, undefined, { signal: repository.signal }).catch(() => {});
  }
}

const maxTries = 12;
const pauseMs = 100;

/** Matches git's English messages: see `knownFailure`. */
function isLocked(stderr: string): boolean {
  return /Unable to create '.+\.lock': File exists|cannot lock ref/.test(stderr);
}

/** Like `tryWritingGit`, but throws if git fails. */
export async function writeGit(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const { stdout, stderr, code } = await tryWritingGit(repository, args, options);
  if (code !== 0) throw explainFailure(stderr, code);
  return stdout;
}
