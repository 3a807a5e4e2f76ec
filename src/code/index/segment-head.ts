import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { SegmentHead } from "./segment-reader.ts";

/** What is known of a segment of trigrams, whose documents are files. */
export interface LexicalHead extends SegmentHead {
  /** The number of each document's file; 0 for one that was out of date when it was written. */
  readonly files: Uint32Array;
}

/** What is known of a segment of words, whose documents are pieces of files. */
export interface WordsHead extends SegmentHead {
  readonly fileOf: Uint32Array;
  /** Place in `symbolKinds`, 255 for none. */
  readonly kindOf: Uint8Array;
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
  /** Place in the outline of the file and 1, or 0. */
  readonly symbols: Uint32Array;
}

export function writeLexicalHead(head: LexicalHead): Uint8Array {
  const writer = new ByteWriter();
  writePart(writer, head);
  for (const file of head.files) writer.varint(file);
  return writer.take();
}

export function readLexicalHead(bytes: Uint8Array): LexicalHead {
  const reader = new ByteReader(bytes);
  const part = readPart(reader);
  const files = new Uint32Array(part.documents);
  for (let document = 0; document < files.length; document++) files[document] = reader.varint();
  return { ...part, files };
}

export function writeWordsHead(head: WordsHead): Uint8Array {
  const writer = new ByteWriter();
  writePart(writer, head);
  for (let document = 0; document < head.documents; document++) {
    writer.varint(head.fileOf[document]!);
    writer.byte(head.kindOf[document]!);
    writer.varint(head.firstLines[document]!);
    writer.varint(head.lastLines[document]! - head.firstLines[document]!);
    writer.varint(head.symbols[document]!);
  }
  return writer.take();
}

export function readWordsHead(bytes: Uint8Array): WordsHead {
  const reader = new ByteReader(bytes);
  const part = readPart(reader);
  const head = { ...part, ...emptyColumns(part.documents) };
  for (let document = 0; document < part.documents; document++) {
    head.fileOf[document] = reader.varint();
    head.kindOf[document] = reader.take(1)[0]!;
    head.firstLines[document] = reader.varint();
    head.lastLines[document] = head.firstLines[document]! + reader.varint();
    head.symbols[document] = reader.varint();
  }
  return head;
}

export function emptyColumns(documents: number): Omit<WordsHead, keyof SegmentHead> {
  return {
    fileOf: new Uint32Array(documents),
    kindOf: new Uint8Array(documents),
    firstLines: new Uint32Array(documents),
    lastLines: new Uint32Array(documents),
    symbols: new Uint32Array(documents),
  };
}

function writePart(writer: ByteWriter, { documents, weighted, firstTerms }: SegmentHead): void {
  writer.varint(documents);
  writer.byte(weighted ? 1 : 0);
  writer.varint(firstTerms.length);
  for (const term of firstTerms) {
    writer.varint(term.length);
    writer.append(term);
  }
}

function readPart(reader: ByteReader): SegmentHead {
  const documents = reader.varint();
  const weighted = reader.take(1)[0] === 1;
  const firstTerms = Array.from(
    { length: reader.varint() },
    () => new Uint8Array(reader.take(reader.varint())),
  );
  return { documents, weighted, firstTerms };
}
