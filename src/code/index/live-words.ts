import { roleOf } from "../search/file-roles.ts";
import type { FileRecord } from "./file-record.ts";
import type { Looked } from "./indexer.ts";
import { readOutline } from "./outline-blob.ts";
import type { OutlinedSymbol, WordFile, WordIndex, WordSegment } from "./word-index.ts";

/** The words of all files that are as the index knows them. */
export function liveWords({ store, state }: Looked): WordIndex {
  const segments = Array.from(
    store.segments.words,
    ({ number, head, reader }): WordSegment & { number: number } => ({
      number,
      documents: head.documents,
      fileOf: head.fileOf,
      kindOf: head.kindOf,
      postings: (term) => reader.postings(Buffer.from(term)),
      piece: (document) => ({
        firstLine: head.firstLines[document]!,
        lastLine: head.lastLines[document]!,
        symbol: head.symbols[document] === 0 ? undefined : head.symbols[document]! - 1,
      }),
    }),
  );
  const file = (number: number) => {
    const record = store.record(number);
    return state.knows(record) && record.words > 0 ? describe(record) : undefined;
  };
  return {
    segments,
    file,
    *files() {
      for (const { number } of store.records.values()) {
        const found = file(number);
        if (found !== undefined) yield found;
      }
    },
    outline: (number): readonly OutlinedSymbol[] => {
      const bytes = store.outline(number);
      return bytes.length === 0 ? [] : readOutline(bytes);
    },
  };
}

const described = new WeakMap<FileRecord, WordFile>();

function describe(record: FileRecord): WordFile {
  let file = described.get(record);
  if (file === undefined) {
    const { number, path, language } = record;
    file = { number, path, language, role: roleOf(path) };
    described.set(record, file);
  }
  return file;
}
