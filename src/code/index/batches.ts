import { isOutlinable, type WordsFile } from "./build-words.ts";
import type { ReadFile } from "./commit.ts";
import type { FileRecord } from "./file-record.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export type Batch =
  | { readonly kind: "lexical"; readonly files: readonly ReadFile[] }
  | { readonly kind: "words"; readonly files: readonly WordsFile[] };

/** What one request holds at most, so that what is done is soon on record. */
const limits = {
  lexical: { files: 2000, bytes: 12 * 1024 * 1024 },
  words: { files: 600, bytes: 4 * 1024 * 1024 },
} as const;

/** Files that no symbols, or no words, are taken from because a worker broke down over them. */
export interface Failures {
  /** Read alone from now on, by path. */
  readonly alone: ReadonlySet<string>;
  readonly unparsable: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string>;
}

/** What is to be done next, of what nobody is doing yet; trigrams of all files first. */
export function nextBatch(
  state: WorkspaceState,
  underway: ReadonlySet<string>,
  failures: Failures,
  { workers, hashOf }: { readonly workers: number; readonly hashOf: (path: string) => string | undefined },
): Batch | undefined {
  const isFree = (path: string) => !underway.has(path) && !failures.unreadable.has(path);
  const waiting = [...state.outdated].filter(([path]) => isFree(path));
  if (waiting.length > 0) {
    const files = waiting.map(([path, listed]) => ({ path, listed, bytes: listed.figures?.[0] ?? 0 }));
    const taken = take(files, limits.lexical, failures.alone, workers);
    return { kind: "lexical", files: taken.map((file) => ({ ...file, knownHash: hashOf(file.path) })) };
  }
  const records = [...state.wordless.values()].filter(({ path }) => isFree(path));
  if (records.length === 0) return undefined;
  const files = records.map((record) => ({ ...record, bytes: record.figures[0] }));
  const taken = take(files, limits.words, failures.alone, workers);
  return { kind: "words", files: taken.map((record) => toRequest(record, failures)) };
}

function toRequest(record: FileRecord, failures: Failures): WordsFile {
  const { number, path, hash, language, traits } = record;
  const parsed = isOutlinable(language) && !traits.unparsed && !failures.unparsable.has(path);
  return { number, path, hash, language, parsed };
}

/** The first few; fewer when there is not enough to keep all workers busy. Workers read them in the order of paths. */
function take<File extends { readonly path: string; readonly bytes: number }>(
  files: readonly File[],
  limit: { readonly files: number; readonly bytes: number },
  alone: ReadonlySet<string>,
  workers: number,
): readonly File[] {
  if (alone.has(files[0]!.path)) return [files[0]!];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const fair = Math.max(total / (2 * workers), fewBytes);
  const taken: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (taken.length >= limit.files || bytes >= Math.min(limit.bytes, fair) || alone.has(file.path)) break;
    taken.push(file);
    bytes += file.bytes;
  }
  return taken.sort((one, other) => (one.path < other.path ? -1 : 1));
}

const fewBytes = 256 * 1024;
