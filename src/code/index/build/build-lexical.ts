import { isAscii } from "node:buffer";
import type { Environment, ReadResult } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { FilesReader, GivenFiles } from "../../../lib/files-reader.ts";
import { byteOrderMarkLength, decodeText } from "../../../lib/text/encoding.ts";
import { languageOf } from "../../languages/language-of.ts";
import { byteClasses, trigramCount, trigramTerm } from "../query/trigrams.ts";
import type { FileTraits } from "../storage/file-record.ts";
import { type Segment, SegmentWriter } from "../storage/segment.ts";

export interface LexicalRequest {
  readonly files: readonly { readonly path: string; readonly knownHash: string | undefined }[];
  /** The contents by path, when they are on another machine. */
  readonly contents?: ReadonlyMap<string, ReadResult> | undefined;
}

export interface LexicalAnswer {
  readonly files: readonly LexicalFile[];
  readonly segment: Segment;
}

/** "same" means that the content is already known, "gone" that the file no longer exists. */
export type LexicalFile = "same" | "gone" | LexicalContent;

interface LexicalContent {
  /** The content hash; empty for a file that could not be read. */
  readonly hash: string;
  readonly language: string | undefined;
  readonly traits: FileTraits;
  readonly document: number | undefined;
}

/** A larger file is not indexed, so every search reads it. */
const maxBytes = 16 * 1024 * 1024;

/** A larger file takes seconds to parse, and its symbols are rarely useful. */
const maxParsedBytes = 1024 * 1024;

/** A file with a longer average line is not written by hand. */
const maxLineBytes = 400;

const languageBytes = 16_000;

export class LexicalBuilder {
  readonly #environment: () => Environment;
  readonly #collector = new TrigramCollector();

  constructor(environment: () => Environment) {
    this.#environment = environment;
  }

  async build({ files, contents }: LexicalRequest, signal: AbortSignal): Promise<LexicalAnswer> {
    const timeSlice = new TimeSlice(signal);
    const reader = contents ? new GivenFiles(contents) : new FilesReader(this.#environment());
    const answers: LexicalFile[] = [];
    let documents = 0;
    try {
      for (const { path, knownHash } of files) {
        const bytes = await reader.read(path, maxBytes);
        const answer = typeof bytes === "string" ? bytes : this.#look(path, bytes, knownHash, documents);
        if (typeof answer !== "string") documents++;
        answers.push(answer === "unreadable" ? unread : answer);
        if (timeSlice.isOver) await timeSlice.next();
      }
      return { files: answers, segment: this.#collector.write() };
    } finally {
      this.#collector.clear();
      reader.close();
    }
  }

  #look(path: string, bytes: Uint8Array, knownHash: string | undefined, document: number): LexicalFile {
    const hash = contentHash(bytes);
    if (hash === knownHash) return "same";
    const searchable = searchableBytes(bytes);
    this.#collector.add(searchable.bytes);
    return { hash, ...describe(path, searchable), document };
  }
}

const unread: LexicalContent = {
  hash: "",
  language: undefined,
  traits: { binary: true, oddCase: false, unparsed: true },
  document: undefined,
};

function describe(
  path: string,
  { bytes, binary }: SearchableBytes,
): Pick<LexicalContent, "language" | "traits"> {
  const beginning = () => asBuffer(bytes).toString("utf8", 0, languageBytes);
  const language = binary ? undefined : languageOf(path, beginning());
  const unparsed = binary || bytes.length > maxParsedBytes || isMinified(bytes);
  return { language, traits: { binary, oddCase: hasOddCase(bytes), unparsed } };
}

function isMinified(bytes: Uint8Array): boolean {
  if (bytes.length < 4 * maxLineBytes) return false;
  const buffer = asBuffer(bytes);
  let lines = 1;
  for (let at = buffer.indexOf(10); at >= 0; at = buffer.indexOf(10, at + 1)) {
    if (++lines * maxLineBytes > bytes.length) return false;
  }
  return true;
}

/** Collects the trigrams of texts, then writes for each trigram the texts that contain it. Can be used again. */
export class TrigramCollector {
  /** One bit for each trigram seen in the current text. */
  readonly #seen = new Uint32Array(trigramCount / 32);
  /** The number of texts with each trigram; `#held` lists the trigrams of any text. */
  readonly #counts = new Uint32Array(trigramCount);
  readonly #held: number[] = [];
  #trigrams = new Uint32Array(2 ** 20);
  #length = 0;
  readonly #ends: number[] = [];

  add(bytes: Uint8Array): void {
    const seen = this.#seen;
    const counts = this.#counts;
    const classes = byteClasses;
    const start = this.#length;
    this.#reserve(bytes.length);
    const trigrams = this.#trigrams;
    let length = start;
    let trigram = bytes.length < 3 ? 0 : (classes[bytes[0]!]! << 7) | classes[bytes[1]!]!;
    for (let at = 2; at < bytes.length; at++) {
      trigram = ((trigram << 7) | classes[bytes[at]!]!) & 0x1fffff;
      const word = trigram >> 5;
      const bit = 1 << (trigram & 31);
      if ((seen[word]! & bit) !== 0) continue;
      seen[word]! |= bit;
      if (counts[trigram]!++ === 0) this.#held.push(trigram);
      trigrams[length++] = trigram;
    }
    for (let at = start; at < length; at++) seen[trigrams[at]! >> 5] = 0;
    this.#length = length;
    this.#ends.push(length);
  }

  /** Returns the segment of all texts since the last call, numbered in order. */
  write(): Segment {
    const counts = this.#counts;
    const held = Uint32Array.from(this.#held).sort();
    const postings = new Uint32Array(this.#length);
    // From here on, a count is the position of the next text with that trigram.
    let total = 0;
    for (const trigram of held) {
      const count = counts[trigram]!;
      counts[trigram] = total;
      total += count;
    }
    let at = 0;
    for (let document = 0; document < this.#ends.length; document++) {
      for (const end = this.#ends[document]!; at < end; at++) {
        postings[counts[this.#trigrams[at]!]!++] = document;
      }
    }
    const writer = new SegmentWriter(this.#ends.length, { weighted: false });
    const term = new Uint8Array(3);
    let start = 0;
    for (const trigram of held) {
      const end = counts[trigram]!;
      writer.add(trigramTerm(trigram, term), postings, undefined, { start, end });
      start = end;
    }
    this.clear();
    return writer.done();
  }

  clear(): void {
    for (const trigram of this.#held) this.#counts[trigram] = 0;
    this.#held.length = 0;
    this.#length = 0;
    this.#ends.length = 0;
  }

  #reserve(more: number): void {
    const needed = this.#length + Math.min(more, trigramCount);
    if (needed <= this.#trigrams.length) return;
    const size = Math.max(needed, this.#trigrams.length * 2);
    this.#trigrams = new Uint32Array(this.#trigrams.buffer.transfer(size * 4));
  }
}

interface SearchableBytes {
  readonly bytes: Uint8Array;
  readonly binary: boolean;
}

/** Returns the bytes of a file that a search reads, as in ripgrep: UTF-8, or converted UTF-16, up to the first NUL. */
export function searchableBytes(bytes: Uint8Array): SearchableBytes {
  const all = byteOrderMarkLength(bytes) === 2 ? fromUtf16(bytes) : bytes;
  const end = all.indexOf(0);
  return end < 0 ? { bytes: all, binary: false } : { bytes: all.subarray(0, end), binary: true };
}

/** Returns whether a text contains the Kelvin sign or the long s, which match "k" and "s" when case is ignored. */
export function hasOddCase(bytes: Uint8Array): boolean {
  if (isAscii(bytes)) return false;
  const buffer = asBuffer(bytes);
  return buffer.includes("\u212a") || buffer.includes("\u017f");
}

function fromUtf16(bytes: Uint8Array): Uint8Array {
  const encoding = bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return Buffer.from(decodeText(bytes.subarray(2), encoding).text);
}
