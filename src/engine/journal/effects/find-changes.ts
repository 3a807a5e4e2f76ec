import type { Difference, Effects } from "../../../contract/effects.ts";
import type { Environment } from "../../../contract/environment.ts";
import { ToolError } from "../../../contract/error.ts";
import type { Change, EntryState } from "../../../contract/history.ts";
import type { Blobs } from "../../../journal/blobs.ts";
import { isSameState } from "../../../journal/entry-states.ts";
import { blobName } from "../../../lib/bytes/blob-name.ts";
import { undefinedUnlessExhausted } from "../../../lib/exhaustion.ts";
import { readBlobs } from "../../environment/effects/git-contents.ts";
import { notCopied } from "./keep-contents.ts";
import { KeepInOrder } from "./keep-in-order.ts";

interface Found {
  /** The changes of a call, with the states before and after. Undo reverts them in reverse order. */
  readonly changes: readonly Change[];
  /** The current contents that were stored, by path. */
  readonly hashes: ReadonlyMap<string, string>;
}

interface FindingParts {
  readonly environment: Environment;
  readonly blobs: Blobs;
  /** Why old contents are not stored, by path. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The limit of stored current contents. Default: 64 MB. */
  readonly maxBytes?: number | undefined;
}

/** Reads what is at the paths that may have changed, and returns the changes of the call. */
export async function findChanges(differences: Effects["differences"], parts: FindingParts): Promise<Found> {
  const present = new PresentEntries(differences, parts);
  const drafts: Draft[] = [];
  for (const difference of differences)
    drafts.push({ ...difference, present: await present.look(difference) });
  const fetched = await fetchFromGit(drafts, parts);
  const changes = drafts.flatMap((draft) => {
    const change = toChange(draft, parts.reasons, fetched);
    const isSame = isSameState(change.before, change.after) || isUnknownButSame(draft, change);
    return isSame ? [] : [change];
  });
  return { changes, hashes: present.hashes };
}

interface Draft extends Difference {
  readonly present: PresentEntry;
}

function toChange(
  { path, before, inGit, isOverBudget, present }: Draft,
  reasons: ReadonlyMap<string, string>,
  fetched: ReadonlyMap<string, string>,
): Change {
  const after = present.state;
  if (before.kind !== "file")
    return { path, before, after, lost: before.kind === "nothing" ? present.unread : undefined };
  const hash = inGit === undefined ? before.hash : (fetched.get(inGit.oid) ?? "");
  const state = { ...before, hash };
  if (hash !== "") return { path, before: state, after, lost: present.unread };
  const lost = inGit === undefined ? notCopied : "it could not be fetched from git";
  const why = isOverBudget ? "ignored, and beyond the budget for ignored files" : reasons.get(path);
  return { path, before: state, after, lost: why ?? present.unread ?? lost };
}

/** Returns whether a file that was not read counts as unchanged, because its stats are unchanged. */
function isUnknownButSame({ looksSame }: Draft, { before, after }: Change): boolean {
  if (before.kind !== "file" || after.kind !== "file" || before.hash !== "") return false;
  return looksSame && before.mode === after.mode;
}

/** Stores the old contents of changed files that git has. Returns their SHA-256 by git's name. */
async function fetchFromGit(
  drafts: readonly Draft[],
  { environment, blobs }: FindingParts,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  const wanted = new Map<string, Set<string>>();
  for (const { inGit, present } of drafts) {
    if (inGit === undefined) continue;
    const { repository, oid } = inGit;
    if (present.isAsInGit && present.state.kind === "file") known.set(oid, present.state.hash);
    wanted.set(repository, (wanted.get(repository) ?? new Set()).add(oid));
  }
  for (const [repository, oids] of wanted) {
    const missing = [...oids].filter((oid) => !known.has(oid));
    if (missing.length === 0) continue;
    for await (const { oid, content } of readBlobs(environment, repository, missing, never)) {
      // Without disk space the content is lost, and is reported as not covered.
      const hash = await blobs.keep(content).catch(undefinedUnlessExhausted);
      if (hash !== undefined) known.set(oid, hash);
    }
  }
  return known;
}

const never = new AbortController().signal;

interface PresentEntry {
  readonly state: EntryState;
  /** Whether the content is the blob that git has. */
  readonly isAsInGit?: boolean;
  /** The reason why the content could not be read. */
  readonly unread?: string;
}

/** Reads the entries after a command, and stores small contents, because the next command may change them. */
class PresentEntries {
  readonly hashes = new Map<string, string>();
  readonly #environment: Environment;
  readonly #blobs: Blobs;
  readonly #copies: KeepInOrder;
  #bytesLeft: number;

  constructor(differences: Effects["differences"], parts: FindingParts) {
    const isSmallFile = ({ after }: Difference) => after.kind === "file" && after.bytes <= maxKeptBytes;
    this.#copies = new KeepInOrder(parts, () => differences.filter(isSmallFile).map(({ path }) => path));
    this.#bytesLeft = parts.maxBytes ?? maxKeptTogether;
    this.#environment = parts.environment;
    this.#blobs = parts.blobs;
  }

  async look({ path, before, after, inGit }: Difference): Promise<PresentEntry> {
    if (after.kind !== "file") return { state: after };
    const unread = (why: string) => ({ state: { ...after, hash: "" }, unread: why });
    if (after.bytes > maxHashedBytes) return unread("too large to read");
    try {
      if (after.bytes <= Math.min(maxKeptBytes, this.#bytesLeft)) {
        const kept = await this.#copies.keep(path).catch(undefinedWithoutSpace);
        if (kept !== undefined) {
          this.#bytesLeft -= kept.bytes;
          this.hashes.set(path, kept.hash);
          const isAsLarge = before.kind === "file" && before.bytes === kept.bytes;
          const isAsInGit =
            inGit !== undefined &&
            isAsLarge &&
            blobName(await this.#blobs.read(kept.hash), inGit.oid) === inGit.oid;
          return { state: { ...after, ...kept }, isAsInGit };
        }
      }
      return { state: await this.#environment.state(path) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === "not-found") return { state: { kind: "nothing" } };
      return unread(error.code === "denied" ? "no read permission" : "it could not be read");
    }
  }
}

const maxKeptBytes = 1024 * 1024;
// A command may create any number of files, so the stored size is limited.
const maxKeptTogether = 64 * 1024 * 1024;
const maxHashedBytes = 1024 * 1024 * 1024;

function undefinedWithoutSpace(error: unknown): undefined {
  if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
}
