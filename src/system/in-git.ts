import { lstatSync, readFileSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { boundedMemo } from "../lib/bounded-cache.ts";
import { blobName } from "../lib/bytes/blob-name.ts";
import { monotonicMs } from "../lib/clock.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { gitReadingOptions, gitReadingVariables } from "../lib/git-reading.ts";
import { attempt } from "./attempt.ts";
import { errnoOf } from "./file-errors.ts";
import { ProgramFinder } from "./find-program.ts";
import { outputOfProgramNow } from "./start-program.ts";

/**
 * Returns those of these files whose content equals their blob in the index or in HEAD of the repository around them.
 * Asks git, and remembers its answers while the file and the index stay the same. Follows no links.
 */
export function inGit(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = new Map<string, Candidate[]>();
  for (const path of paths) {
    const candidate = candidateAt(path);
    if (candidate === undefined) continue;
    const { known, stamp, repository } = candidate;
    if (known.stamp !== stamp) open.set(repository, [...(open.get(repository) ?? []), candidate]);
    else if (known.isInGit) found.add(path);
  }
  for (const [repository, candidates] of open) {
    const pause = pauses(repository);
    if (monotonicMs() < pause.untilMs) continue;
    const equal = equalToBlobs(repository, candidates);
    if (equal === "timed out") {
      pause.untilMs = monotonicMs() + pauseMs;
      // Everything waits for these runs of git.
      break;
    }
    for (const { path, known, stamp, isSettled } of candidates) {
      const isInGit = equal.has(path);
      Object.assign(known, { stamp: isSettled ? stamp : undefined, isInGit });
      if (isInGit) found.add(path);
    }
  }
  return found;
}

interface Candidate {
  readonly path: string;
  readonly repository: string;
  readonly known: { readonly stamp: string | undefined; readonly isInGit: boolean };
  readonly stamp: string;
  /** Whether a later change of the file or the index has another time. */
  readonly isSettled: boolean;
}

const answers = boundedMemo(2000, (_path: string) => ({
  stamp: undefined as string | undefined,
  isInGit: false,
}));

/** Until when git is not asked again about a repository in which it took too long. */
const pauses = boundedMemo(100, (_repository: string) => ({ untilMs: 0 }));

const pauseMs = 60_000;
const maxBytes = 1024 * 1024;
const settledMs = 2100;

function candidateAt(path: string): Candidate | undefined {
  const now = Date.now();
  const stats = fileAt(path);
  if (stats === undefined || stats.size > maxBytes) return undefined;
  const repository = repositoryAround(dirname(path));
  const index = repository === undefined ? undefined : indexOf(repository);
  if (repository === undefined || index === undefined) return undefined;
  return {
    path,
    repository,
    known: answers(path),
    stamp: [stampOf(stats), stampOf(index)].join(" "),
    isSettled: now - Math.max(stats.ctimeMs, index.ctimeMs) > settledMs,
  };
}

/** Returns the nearest folder with a `.git`. */
function repositoryAround(folder: string): string | undefined {
  if (attempt(() => lstatSync(join(folder, ".git"))) !== undefined) return folder;
  return dirname(folder) === folder ? undefined : repositoryAround(dirname(folder));
}

/** Returns what identifies the index. Git would wait for the writer of a named pipe. */
function indexOf(repository: string): Stats | undefined {
  const directory = gitDirectoryOf(repository);
  if (directory === undefined || fileAt(join(directory, "HEAD")) === undefined) return undefined;
  return fileAt(join(directory, "index"));
}

function gitDirectoryOf(repository: string): string | undefined {
  const entry = join(repository, ".git");
  if (attempt(() => lstatSync(entry).isDirectory())) return entry;
  const [, named] = /^gitdir: (.+?)\n?$/.exec((fileAt(entry) && readText(entry)) ?? "") ?? [];
  return named === undefined ? undefined : resolve(repository, named);
}

function fileAt(path: string): Stats | undefined {
  const stats = attempt(() => lstatSync(path));
  return stats?.isFile() ? stats : undefined;
}

function readText(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8"));
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(":");
}

function equalToBlobs(
  repository: string,
  candidates: readonly Candidate[],
): ReadonlySet<string> | "timed out" {
  const equal = new Set<string>();
  const contents = new Map(candidates.map(({ path }) => [path, attempt(() => readFileSync(path))] as const));
  for (const command of [
    ["ls-files", "--stage"],
    ["ls-tree", "-r", "HEAD"],
  ] as const) {
    const left = candidates.filter(({ path }) => !equal.has(path)).map(({ path }) => path);
    if (left.length === 0) break;
    const blobs = blobsOf(repository, command, left);
    if (blobs === "timed out") return blobs;
    for (const { oid, path } of blobs) {
      const content = contents.get(path);
      if (content !== undefined && blobName(content, oid) === oid) equal.add(path);
    }
  }
  return equal;
}

function blobsOf(
  repository: string,
  [command, ...words]: readonly [string, ...string[]],
  paths: readonly string[],
): readonly { readonly oid: string; readonly path: string }[] | "timed out" {
  const names = paths.map((path) => relative(repository, path));
  let output: Buffer | undefined;
  try {
    const finder = new ProgramFinder({}, repository);
    output = outputOfProgramNow(
      finder.findNow("git"),
      [...gitReadingOptions(), "--literal-pathspecs", command, "-z", ...words, "--", ...names],
      {
        cwd: repository,
        env: { ...gitReadingVariables, HOME: homedir(), PATH: finder.searchPath },
        timeout: 2000,
      },
    );
  } catch (error) {
    if (errnoOf(error) === "ETIMEDOUT") return "timed out";
    output = undefinedUnlessExhausted(error);
  }
  const lines = output?.toString("utf8").split("\0").slice(0, -1) ?? [];
  return lines.flatMap((line) => {
    const [, oid, name] = /^\d+ (?:blob )?([0-9a-f]{40,64})[^\t]*\t([\s\S]*)$/.exec(line) ?? [];
    return oid === undefined || name === undefined ? [] : [{ oid, path: join(repository, name) }];
  });
}
