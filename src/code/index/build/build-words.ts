import { Parser } from "web-tree-sitter";
import type { Outline } from "../../../contract/code.ts";
import type { Environment, ReadResult } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { FilesReader, GivenFiles } from "../../../lib/files-reader.ts";
import { decodeFile } from "../../../lib/text/encoding.ts";
import { loadGrammar } from "../../grammars/load-grammar.ts";
import { findLanguage } from "../../languages/find-language.ts";
import { Terms } from "../../search/terms.ts";
import { outlineOf } from "../../symbols/outline-of.ts";
import { withScripts } from "../../symbols/with-scripts.ts";
import { writeOutline } from "../storage/outline-blob.ts";
import type { Segment } from "../storage/segment.ts";
import type { WordHead } from "../storage/segment-table.ts";
import { TermCollector } from "./term-collector.ts";

export interface WordIndexRequest {
  readonly files: readonly WordIndexFile[];
  /** The contents by path, when they are on another machine. */
  readonly contents?: ReadonlyMap<string, ReadResult> | undefined;
}

export interface WordIndexFile {
  readonly number: number;
  readonly path: string;
  readonly hash: string;
  readonly language: string | undefined;
  readonly parsed: boolean;
}

export interface WordIndexAnswer {
  readonly files: readonly WordIndexResult[];
  readonly segment: Segment;
  readonly columns: Omit<WordHead, keyof Segment>;
}

/** "other": the content has changed. "broken": the parser crashed. "left": not read after a crash. */
type WordIndexResult = "other" | "broken" | "left" | { readonly outline: Uint8Array | undefined };

/** Only this much of a larger file is indexed, because the rest is usually data. */
const maxUnits = 1024 * 1024;
const maxUnparsedUnits = 128 * 1024;
const maxBytes = 16 * 1024 * 1024;

let terms = new Terms();

export async function buildWordIndex(
  { files, contents }: WordIndexRequest,
  environment: () => Environment,
  signal: AbortSignal,
): Promise<WordIndexAnswer> {
  const timeSlice = new TimeSlice(signal);
  const reader = contents ? new GivenFiles(contents) : new FilesReader(environment());
  if (terms.isFull) terms = new Terms();
  const words = new TermCollector(terms);
  const answers: WordIndexResult[] = [];
  try {
    for (const file of files) {
      const bytes = await reader.read(file.path, maxBytes);
      if (typeof bytes === "string" || contentHash(bytes) !== file.hash) {
        answers.push("other");
        continue;
      }
      const text = decodeFile(bytes);
      const outline = file.parsed ? await outlineOrBroken(text, file.language!) : undefined;
      if (outline === "broken") {
        answers.push("broken");
        break;
      }
      words.add(file, text.slice(0, outline ? maxUnits : maxUnparsedUnits), outline);
      answers.push({ outline: outline && writeOutline(outline.symbols) });
      if (timeSlice.isOver) await timeSlice.next();
    }
    while (answers.length < files.length) answers.push("left");
    return { files: answers, ...words.write() };
  } finally {
    reader.close();
  }
}

/** Returns "broken" if the parser crashes, because it may have corrupted the memory that all grammars share. */
async function outlineOrBroken(text: string, language: string): Promise<Outline | undefined | "broken"> {
  try {
    return await parseOutline(text, language);
  } catch {
    return "broken";
  }
}

let parser: Parser | undefined;

/** Parses in this process, which may crash. Returns undefined if parsing takes too long. */
async function parseOutline(text: string, language: string): Promise<Outline | undefined> {
  const grammar = await loadGrammar(findLanguage(language).grammar);
  parser ??= new Parser();
  parser.setLanguage(grammar);
  const giveUpAt = performance.now() + parseMs;
  const tree = parser.parse(text, undefined, { progressCallback: () => performance.now() > giveUpAt });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    return await withScripts(outlineOf(tree, text, language), text);
  } finally {
    tree.delete();
  }
}

const parseMs = 3000;
