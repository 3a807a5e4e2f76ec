import { setTimeout } from "node:timers/promises";
import { throwIfAborted } from "../lib/async/abort.ts";
import { explainFailure } from "./explain-failure.ts";
import { type GitContext, type GitOptions, type GitResult, type Repository, runGit } from "./run-git.ts";

/**
 * Runs git to change what it keeps, in the sandbox of the call: also what links and other processes put in its way leads
 * nowhere else. Waits a moment for another git that holds a lock. Gives its result, whatever its exit code.
 */
export async function tryWritingGit(
  repository: Repository,
  args: readonly string[],
  context: GitContext,
  options: GitOptions = {},
): Promise<GitResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await runGit(repository, args, context, {
      use: "write",
      confinement: "call",
      ...options,
    });
    throwIfAborted(context.signal);
    // Hooks must not run twice.
    const mayRepeat = options.settings?.["core.hooksPath"] === undefined && tries < maxTries;
    if (result.code === 0 || !mayRepeat || !isLocked(result.stderr)) return result;
    await setTimeout(pauseMs, undefined, { signal: context.signal }).catch(() => {});
  }
}

const maxTries = 12;
const pauseMs = 100;

/** By git's English: see `knownFailure`. */
function isLocked(stderr: string): boolean {
  return /Unable to create '.+\.lock': File exists|cannot lock ref/.test(stderr);
}

/** The same, when nothing but success is expected. */
export async function writeGit(
  repository: Repository,
  args: readonly string[],
  context: GitContext,
  options: GitOptions = {},
): Promise<Buffer> {
  const { stdout, stderr, code } = await tryWritingGit(repository, args, context, options);
  if (code !== 0) throw explainFailure(stderr, code);
  return stdout;
}
