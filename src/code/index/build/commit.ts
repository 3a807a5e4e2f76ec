import type { FileRecord } from "../storage/file-record.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { LexicalAnswer } from "./build-lexical.ts";
import type { WordIndexAnswer, WordIndexFile } from "./build-words.ts";
import type { ListedFile } from "./list-workspace.ts";
import { haveSameFigures, type WorkspaceState } from "./workspace-state.ts";

/** A file to read, with its listed state and the content hash known before. */
export interface ReadFile {
  readonly path: string;
  readonly listed: ListedFile;
  readonly knownHash: string | undefined;
}

/** Stands for the segment of a file without words. */
export const noWords = -1;

/** Commits files, except those that have changed since they were read. */
export function commitLexical(
  store: IndexStore,
  state: WorkspaceState,
  files: readonly ReadFile[],
  answer: LexicalAnswer,
): void {
  const isWanted = ({ path, listed }: ReadFile) => {
    const place = state.files.find(path);
    if (place === undefined || !state.outdated.has(place)) return false;
    return haveSameFigures(state.files.at(place).figures, listed.figures);
  };
  const gone: string[] = [];
  const known: FileRecord[] = [];
  store.change(() => {
    state.catchUp(store);
    const segment = store.segments.next;
    const numbers = new Uint32Array(answer.segment.documents);
    for (const [index, file] of files.entries()) {
      const found = answer.files[index]!;
      const before = store.records.get(file.path);
      if (!isWanted(file)) continue;
      const looks = { figures: file.listed.figures ?? unknownFigures, settled: file.listed.settled };
      if (found === "gone") {
        if (before !== undefined) store.remove(before);
        gone.push(file.path);
      } else if (before !== undefined && before.hash === (found === "same" ? file.knownHash : found.hash)) {
        store.update(Object.assign(before, looks));
        known.push(before);
      } else if (found !== "same") {
        const { document, ...content } = found;
        const lexical = document === undefined ? 0 : segment;
        const words = content.traits.binary ? noWords : 0;
        const record = store.add({ path: file.path, ...looks, ...content, lexical, words });
        if (document !== undefined) numbers[document] = record.number;
        known.push(record);
      }
      // A file whose record was removed by another process stays outdated.
    }
    if (numbers.some((number) => number > 0)) store.segments.addLexical(answer.segment, numbers);
  });
  for (const path of gone) state.outdated.delete(state.files.find(path)!);
  for (const record of known) state.take(record);
}

const unknownFigures = [0, 0, 0, 0, 0] as const;

/** Commits the words of files, except those that have changed since. */
export function commitWords(
  store: IndexStore,
  state: WorkspaceState,
  files: readonly WordIndexFile[],
  { files: found, segment, columns }: WordIndexAnswer,
): void {
  store.change(() => {
    state.catchUp(store);
    const records: FileRecord[] = [];
    for (const [index, { number, path, hash }] of files.entries()) {
      const answer = found[index]!;
      const record = store.record(number);
      // A rebuilt index may give these numbers to other files.
      if (record?.path !== path || record.hash !== hash) continue;
      if (record.words !== 0 || typeof answer === "string") continue;
      records.push(record);
      store.addOutline(number, answer.outline ?? noOutline);
      if (answer.outline === undefined) record.traits = { ...record.traits, unparsed: true };
    }
    if (records.length === 0) return;
    const taken = new Set(records.map(({ number }) => number));
    const fileOf = columns.fileOf.map((number) => (taken.has(number) ? number : 0));
    const words = store.segments.addWords(segment, { ...columns, fileOf });
    for (const record of records) store.update(Object.assign(record, { words }));
  });
  // The next scan finds files with other content.
  for (const [index, { number }] of files.entries()) {
    if (found[index] !== "left" && found[index] !== "broken") state.wordless.delete(number);
  }
}

/** Files without symbols get this outline, so that a missing outline is noticed. */
const noOutline = new Uint8Array(0);

/** Removes the records of deleted files with numbers below `next`. Other processes may have added records since. */
export function commitGone(store: IndexStore, { files }: WorkspaceState, next: number): void {
  const gone = () => {
    const found: FileRecord[] = [];
    for (const record of store.records.values())
      if (record.number < next && files.find(record.path) === undefined) found.push(record);
    return found;
  };
  if (gone().length === 0) return;
  store.change(() => {
    for (const record of gone()) store.remove(record);
  });
}
