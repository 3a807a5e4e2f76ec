import type { Draft, FindingParts } from "./find-changes.ts";
import { GitBlobs } from "./git-blobs.ts";
import { type Holding, isHeldByGit, repositoryOf } from "./ledger.ts";
import type { Secured } from "./secure-contents.ts";

/** Fetches what git holds of the contents that have changed. By the name that git gives them: their SHA-256. */
export async function fetchFromGit(
  drafts: readonly Draft[],
  { snapshot, holdings }: Secured,
  { environment, blobs }: FindingParts,
): Promise<ReadonlyMap<Holding, string>> {
  const known = new Map<Holding, string>();
  const wanted = new Map<string, Set<Holding>>();
  for (const { before, stands, path } of drafts) {
    const holding = before === undefined ? undefined : holdings[before];
    if (holding === undefined || !isHeldByGit(holding)) continue;
    if (stands.isAsHeld && stands.state.kind === "file") known.set(holding, stands.state.hash);
    const directory = repositoryOf(snapshot, path)?.path ?? "";
    wanted.set(directory, (wanted.get(directory) ?? new Set()).add(holding));
  }
  for (const [directory, oids] of wanted) {
    const missing = [...oids].filter((oid) => !known.has(oid));
    if (missing.length === 0) continue;
    const git = new GitBlobs(environment, directory);
    for await (const { oid, content } of git.read(missing, new AbortController().signal)) {
      // What finds no space is not held any more, and said to be so.
      const hash = await blobs.keep(content).catch(() => undefined);
      if (hash !== undefined) known.set(oid, hash);
    }
  }
  return known;
}
