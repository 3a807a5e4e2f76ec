import { type CodeSymbol, type Outline, symbolKinds } from "../../contract/code.ts";
import type { Environment } from "../../contract/environment.ts";
import { Breath } from "../../text/breath.ts";
import { contentHash } from "../../text/content-hash.ts";
import { decodeText, detectEncoding } from "../../text/encoding.ts";
import { chunksOf } from "../search/chunks.ts";
import { rulesOf } from "../symbols/rules-of.ts";
import { FilesReader } from "./build-lexical.ts";
import { writeOutline } from "./outline-blob.ts";
import { parseOutline } from "./parse-outline.ts";
import { emptyColumns, type WordsHead } from "./segment-head.ts";
import { type Segment, SegmentWriter } from "./segment-writer.ts";
import { nameTerms } from "./symbol-names.ts";

export interface WordsRequest {
  readonly files: readonly WordsFile[];
}

export interface WordsFile {
  readonly number: number;
  readonly path: string;
  readonly hash: string;
  readonly language: string | undefined;
  /** Whether its symbols are wanted. */
  readonly parsed: boolean;
}

export interface WordsAnswer {
  /** In the order of the request. */
  readonly files: readonly WordsFound[];
  readonly segment: Segment;
  readonly columns: Omit<WordsHead, keyof Segment>;
}

/**
 * "other": it does not have that content any more. "broken": the parser broke down over it, and this process must not be
 * asked again; "left": it was not looked at because of that.
 */
export type WordsFound = "other" | "broken" | "left" | { readonly outline: Uint8Array | undefined };

/** Of larger files only so much is read: what follows is data. */
const maxUnits = 1024 * 1024;
const maxUnparsedUnits = 128 * 1024;
const maxBytes = 16 * 1024 * 1024;

/** Whether a file of this language has symbols to be known. */
export function isOutlinable(language: string | undefined): boolean {
  return language !== undefined && rulesOf(language) !== undefined;
}

/** Reads files and gathers the words of their pieces. */
export async function buildWords(
  { files }: WordsRequest,
  environment: Environment,
  signal: AbortSignal,
): Promise<WordsAnswer> {
  const breath = new Breath(signal);
  const reader = new FilesReader(environment);
  const words = new WordsCollector();
  const answers: WordsFound[] = [];
  try {
    for (const file of files) {
      const bytes = await reader.read(file.path, maxBytes);
      if (typeof bytes === "string" || contentHash(bytes) !== file.hash) {
        answers.push("other");
        continue;
      }
      const text = textOf(bytes);
      const outline = file.parsed ? await outlineOrBroken(text, file.language!) : undefined;
      if (outline === "broken") {
        answers.push("broken");
        break;
      }
      words.add(file, text.slice(0, outline ? maxUnits : maxUnparsedUnits), outline);
      answers.push({ outline: outline && writeOutline(outline.symbols) });
      if (breath.isDue) await breath.take();
    }
    while (answers.length < files.length) answers.push("left");
    return { files: answers, ...words.write() };
  } finally {
    reader.close();
  }
}

/** What a grammar has broken in the memory that all grammars share stays broken. */
async function outlineOrBroken(text: string, language: string): Promise<Outline | undefined | "broken"> {
  try {
    return await parseOutline(text, language);
  } catch {
    return "broken";
  }
}

function textOf(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes, { complete: true });
  return decodeText(bytes, encoding === "binary" ? "latin1" : encoding).text;
}

/** Gathers terms of pieces of code, and writes for each term which pieces hold it. */
class WordsCollector {
  readonly #terms = new Map<string, { readonly documents: number[]; readonly weights: number[] }>();
  readonly #pieces: {
    readonly file: number;
    readonly kind: number;
    readonly firstLine: number;
    readonly lastLine: number;
    readonly symbol: number;
  }[] = [];

  add({ number, path }: WordsFile, text: string, outline: Outline | undefined): void {
    const symbols = outline?.symbols ?? [];
    const first = this.#pieces.length;
    for (const { symbol, firstLine, lastLine, terms } of chunksOf(path, text, outline)) {
      const document = this.#pieces.length;
      const kind = symbol === undefined ? 255 : symbolKinds.indexOf(symbols[symbol]!.kind);
      this.#pieces.push({ file: number, kind, firstLine, lastLine, symbol: (symbol ?? -1) + 1 });
      for (const [term, weight] of terms) this.#post(term, document, weight);
    }
    if (symbols.length > 0 && this.#pieces.length === first)
      this.#pieces.push({ file: number, kind: 255, firstLine: 1, lastLine: 1, symbol: 0 });
    // Who looks for a symbol by its name only needs to know the file.
    if (symbols.length > 0) for (const term of namesOf(symbols)) this.#post(term, first, 1);
  }

  write(): { readonly segment: Segment; readonly columns: Omit<WordsHead, keyof Segment> } {
    const writer = new SegmentWriter(this.#pieces.length, { weighted: true });
    for (const term of inOrderOfBytes([...this.#terms.keys()])) {
      const { documents, weights } = this.#terms.get(term)!;
      writer.add(Buffer.from(term), documents, weights);
    }
    const columns = emptyColumns(this.#pieces.length);
    for (const [document, piece] of this.#pieces.entries()) {
      columns.fileOf[document] = piece.file;
      columns.kindOf[document] = piece.kind;
      columns.firstLines[document] = piece.firstLine;
      columns.lastLines[document] = piece.lastLine;
      columns.symbols[document] = piece.symbol;
    }
    return { segment: writer.done(), columns };
  }

  #post(term: string, document: number, weight: number): void {
    const postings = this.#terms.get(term);
    if (postings === undefined) this.#terms.set(term, { documents: [document], weights: [weight] });
    else {
      postings.documents.push(document);
      postings.weights.push(weight);
    }
  }
}

/** As strings they are sorted much quicker, and in the same order but for characters beyond the first plane. */
function inOrderOfBytes(terms: string[]): readonly string[] {
  if (!terms.some((term) => /[\ud800-\udfff]/.test(term))) return terms.sort();
  return terms.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

function namesOf(symbols: readonly CodeSymbol[]): ReadonlySet<string> {
  return new Set(symbols.flatMap(({ name }) => nameTerms(name)));
}
