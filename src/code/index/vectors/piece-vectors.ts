import type { Reading, VectorProblem, VectorState } from "../../../contract/code.ts";
import { type EmbeddingRequest, type Embeddings, mostTexts } from "../../../contract/embeddings.ts";
import { ToolError } from "../../../contract/error.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { contentHash } from "../../../lib/bytes/content-hash.ts";
import { decodeFile } from "../../../lib/text/encoding.ts";
import { redactInTurns } from "../../../policy/redaction/redact.ts";
import { BuildLock } from "../build/background-build.ts";
import type { FileSource } from "../build/file-source.ts";
import type { IndexView } from "../indexer.ts";
import { currentWordIndex, type WordFile, type WordIndex } from "../query/word-index.ts";
import { isDamage, isUnreadable } from "../storage/index-database.ts";
import { discardVectors } from "../storage/index-file.ts";
import { isWorthVectors, pieceTexts } from "./piece-texts.ts";
import { type NewFile, VectorTable } from "./vector-table.ts";

export interface PieceVectorsOptions {
  readonly directory: string;
  readonly model: string;
  readonly embed: (request: EmbeddingRequest, options: Reading) => Promise<Embeddings>;
  /** Whether the content of each file may be sent without a question. */
  readonly maySend: (paths: readonly string[]) => Promise<readonly boolean[]>;
  readonly files: Pick<FileSource, "read">;
  readonly signal: AbortSignal;
  /** Default: 2,000. */
  readonly mostPerRefresh?: number | undefined;
}

/** This many texts are sent in the background after a refresh, so that one search of a huge workspace costs little. */
const defaultMostPerRefresh = 2000;
const filesAtOnce = 16;
const requestsAtOnce = 2;
const retryMs = 60_000;
const hashDigits = 32;

/** Makes the vectors of the index in the background, and compares them with a query. */
export class PieceVectors {
  readonly #options: PieceVectorsOptions;
  readonly #lock: BuildLock;
  #table: VectorTable | undefined;
  #running: Promise<void> | undefined;
  #failed: (VectorProblem & { readonly atMs: number }) | undefined;
  /** Texts that may still be sent. */
  #allowance = 0;

  constructor(options: PieceVectorsOptions) {
    this.#options = options;
    this.#lock = new BuildLock(options.directory, "embedding.db");
  }

  /** Starts to make missing vectors, unless that is under way or has just failed. */
  begin(view: () => IndexView): void {
    this.#allowance = this.#options.mostPerRefresh ?? defaultMostPerRefresh;
    if (this.#running || (this.#failed && Date.now() < this.#failed.atMs + retryMs)) return;
    this.#failed = undefined;
    const table = this.#synced();
    if (missingFiles(currentWordIndex(view()), table).length === 0 || table.isReplaced) return;
    this.#running = this.#run(view, table)
      .catch((error: Error) => {
        // The next query finds the damage, and makes a new index or new vectors.
        if (this.#options.signal.aborted || isDamage(error)) return;
        const hint = error instanceof ToolError ? error.hint : undefined;
        this.#failed = { message: error.message, hint, atMs: Date.now() };
      })
      .finally(() => {
        this.#lock.release();
        this.#running = undefined;
      });
  }

  state(view: IndexView): VectorState {
    const table = this.#synced();
    const index = currentWordIndex(view);
    let [pieces, missing] = [0, 0];
    for (const file of index.files()) {
      const count = isWorthVectors(file) ? (index.documentsOf(file.number)?.count ?? 0) : 0;
      pieces += count;
      if (count > 0 && table.rowsOf(file.path, file.hash)?.length !== count) missing += count;
    }
    const { model } = this.#options;
    const full =
      missing > 0 && table.isFull ? { message: "The vectors take as much memory as they may." } : undefined;
    const problem = this.#failed && { message: this.#failed.message, hint: this.#failed.hint };
    const isRunning = this.#running ? (true as const) : undefined;
    return { model, pieces, missing, tokens: table.tokens, isRunning, problem: problem ?? full };
  }

  /** Returns a function that compares the pieces of a file with a query; undefined when nothing can be compared. */
  comparison(
    vector: Float32Array,
  ): ((file: WordFile, count: number) => Float32Array | undefined) | undefined {
    const table = this.#synced();
    const compare = table.comparison(vector);
    if (compare === undefined) return undefined;
    return ({ path, hash }, count) => {
      const rows = table.rowsOf(path, hash);
      if (rows?.length !== count) return undefined;
      return Float32Array.from(rows, (row) => (row < 0 ? Number.NaN : compare(row)));
    };
  }

  async close(): Promise<void> {
    await this.#running;
    this.#closeTable();
  }

  /** Returns the current vectors; none when their file was damaged. The index works without them. */
  #synced(): VectorTable {
    if (this.#table?.isCurrent === false) this.#closeTable();
    try {
      return this.#opened();
    } catch (error) {
      if (!isDamage(error) && !isUnreadable(error)) throw error;
      this.#closeTable();
      discardVectors(this.#options.directory);
      return this.#opened();
    }
  }

  #opened(): VectorTable {
    this.#table ??= new VectorTable(this.#options.directory, this.#options.model);
    this.#table.sync();
    return this.#table;
  }

  #closeTable(): void {
    this.#table?.close();
    this.#table = undefined;
  }

  async #run(view: () => IndexView, table: VectorTable): Promise<void> {
    // Another process sends the same texts.
    if (!this.#lock.take()) return;
    table.sync();
    const wanted = missingFiles(currentWordIndex(view()), table);
    for (let at = 0; at < wanted.length; at += filesAtOnce) {
      throwIfAborted(this.#options.signal);
      if (this.#allowance <= 0 || table.isFull || table.isReplaced || !table.isCurrent) return;
      await this.#embedFiles(wanted.slice(at, at + filesAtOnce), currentWordIndex(view()), table);
    }
    const { state } = view();
    table.keepOnly((path) => state.files.find(path) !== undefined);
  }

  async #embedFiles(files: readonly WordFile[], index: WordIndex, table: VectorTable): Promise<void> {
    const contents = await this.#options.files.read(
      files.map(({ path }) => path).sort(),
      this.#options.signal,
    );
    const verdicts = await this.#options.maySend(files.map(({ path }) => path));
    const complete: NewFile[] = [];
    const texts = new Map<string, string>();
    for (const [position, file] of files.entries()) {
      const content = contents.get(file.path);
      // A file that has changed since is read again after the next scan.
      if (content === undefined || typeof content === "string" || contentHash(content) !== file.hash)
        continue;
      // Before it is divided: a part of a key does not look like one.
      const text = await redactInTurns(decodeFile(content));
      const documents = index.file(file.number) && index.documentsOf(file.number);
      if (documents === undefined) continue;
      const { segment, first, count } = documents;
      const pieces = Array.from({ length: count }, (_, at) => index.segments[segment]!.piece(first + at));
      const written = verdicts[position]
        ? pieceTexts(file, text, pieces, index.outline(file.number))
        : pieces.map(() => undefined);
      const hashes = written.map((text) => text && contentHash(text).slice(0, hashDigits));
      for (const [at, hash] of hashes.entries()) if (hash && !table.has(hash)) texts.set(hash, written[at]!);
      complete.push({ path: file.path, content: file.hash, hashes });
    }
    const refused = await this.#send([...texts], table);
    const stored = complete.map((file) => ({
      ...file,
      hashes: file.hashes.map((hash) => (hash && refused.has(hash) ? undefined : hash)),
    }));
    table.add(new Map(), stored, 0);
  }

  /** Sends texts and stores each answer at once, because it is paid for. Returns the hashes of refused texts. */
  async #send(
    texts: readonly (readonly [hash: string, text: string])[],
    table: VectorTable,
  ): Promise<Set<string>> {
    const refused = new Set<string>();
    let at = 0;
    const work = async () => {
      while (at < texts.length) {
        const batch = texts.slice(at, at + mostTexts);
        at += batch.length;
        this.#allowance -= batch.length;
        const { signal } = this.#options;
        const request = { texts: batch.map(([, text]) => text), purpose: "document" } as const;
        const { vectors, tokens } = await this.#options.embed(request, { signal });
        const found = new Map<string, Float32Array>();
        for (const [position, [hash]] of batch.entries()) {
          const vector = vectors[position];
          if (vector === undefined) refused.add(hash);
          else found.set(hash, vector);
        }
        table.add(found, [], tokens);
      }
    };
    const done = await Promise.allSettled(Array.from({ length: requestsAtOnce }, work));
    for (const one of done) if (one.status === "rejected") throw one.reason;
    return refused;
  }
}

/** Returns the files whose vectors are missing, code first. */
function missingFiles(index: WordIndex, table: VectorTable): WordFile[] {
  const missing: WordFile[] = [];
  for (const file of index.files()) {
    const count = isWorthVectors(file) ? index.documentsOf(file.number)?.count : undefined;
    if (count !== undefined && table.rowsOf(file.path, file.hash)?.length !== count) missing.push(file);
  }
  const isCode = ({ role }: WordFile) => (role === 0 ? 0 : 1);
  return missing.sort((one, other) => isCode(one) - isCode(other) || (one.path < other.path ? -1 : 1));
}
