import { join } from "node:path";
import { identityOf } from "../../../system/sqlite-file.ts";
import { type DatabaseLayout, IndexDatabase, isDamage, isUnreadable } from "../storage/index-database.ts";
import { vectorsName } from "../storage/index-file.ts";

/** A row of the table for each piece of a file, in order; `noRow` for pieces without a vector. */
interface VectorFile {
  readonly content: string;
  readonly rows: Int32Array;
}

/** The vectors of one file, to store. */
export interface NewFile {
  readonly path: string;
  /** The hash of the file's content. */
  readonly content: string;
  /** The hash of each piece's text; undefined for pieces without a vector. */
  readonly hashes: readonly (string | undefined)[];
}

const noRow = -1;
const noHash = "-";

const layout: DatabaseLayout = {
  name: vectorsName,
  version: 1,
  tables: `
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE files (
      number INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT UNIQUE NOT NULL, content TEXT NOT NULL, hashes TEXT NOT NULL
    ) STRICT;
    CREATE TABLE vectors (
      number INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT UNIQUE NOT NULL, bytes BLOB NOT NULL
    ) STRICT;
  `,
};

/** A limit for the memory of all vectors. */
const defaultMostBytes = 192 * 1024 * 1024;

/**
 * The vectors of an index, in memory and in a database of their own, which outlives a rebuilt index: vectors cost money.
 * A vector belongs to a text, so equal texts share it. All vectors are of one model.
 */
export class VectorTable {
  readonly #database: IndexDatabase;
  readonly #mostBytes: number;
  readonly #model: string;
  #dimensions = 0;
  #bytes = new Int8Array(0);
  #scales = new Float32Array(0);
  #rows = new Map<string, number>();
  #files = new Map<string, VectorFile>();
  #seen = { edition: "", file: 0, vector: 0, others: -1 };

  constructor(directory: string, model: string, { mostBytes = defaultMostBytes } = {}) {
    this.#database = new IndexDatabase(directory, layout);
    this.#model = model;
    this.#mostBytes = mostBytes;
    if (this.isReplaced) this.#startAgain(0);
  }

  get isCurrent(): boolean {
    return this.#database.isCurrent;
  }

  get isFull(): boolean {
    return (this.#rows.size + 1) * this.#dimensions > this.#mostBytes;
  }

  /** Whether another process has replaced the vectors by those of another model. */
  get isReplaced(): boolean {
    return this.#fact("model") !== this.#model;
  }

  get tokens(): number {
    return Number(this.#fact("tokens") ?? 0);
  }

  /** Loads what other processes have stored since. */
  sync(): void {
    const others = this.#database.othersWrote;
    if (others === this.#seen.others) return;
    this.#database.read(() => this.#load());
    this.#seen.others = others;
  }

  has(hash: string): boolean {
    return this.#rows.has(hash);
  }

  /** Returns the rows of a file's pieces; undefined when its vectors are missing or of another content. */
  rowsOf(path: string, content: string): Int32Array | undefined {
    const file = this.#files.get(path);
    return file?.content === content ? file.rows : undefined;
  }

  /** Stores vectors, whose hashes are keys, and files whose vectors are all known then. */
  add(vectors: ReadonlyMap<string, Float32Array>, files: readonly NewFile[], tokens: number): void {
    const [first] = vectors.values();
    this.#database.change(() => {
      this.#load();
      if (this.isReplaced) return;
      if (first !== undefined && first.length !== this.#dimensions) this.#reset(first.length);
      for (const [hash, vector] of vectors) {
        const bytes = quantized(vector);
        this.#database.run("INSERT OR IGNORE INTO vectors (hash, bytes) VALUES (?,?)", hash, bytes);
      }
      for (const { path, content, hashes } of files) {
        // After a change of the model's dimensions, older vectors are gone.
        if (!hashes.every((hash) => hash === undefined || this.#rows.has(hash) || vectors.has(hash)))
          continue;
        const sql = "INSERT OR REPLACE INTO files (path, content, hashes) VALUES (?,?,?)";
        this.#database.run(sql, path, content, hashes.map((hash) => hash ?? noHash).join(" "));
      }
      this.#setFact("tokens", String(this.tokens + tokens));
      this.#load();
    });
  }

  /** Removes files that no longer exist, and vectors that no file has used for long. */
  keepOnly(exists: (path: string) => boolean): void {
    const gone = [...this.#files.keys()].filter((path) => !exists(path));
    if (gone.length > 0)
      this.#database.change(() => {
        for (const path of gone) this.#database.run("DELETE FROM files WHERE path=?", path);
      });
    for (const path of gone) this.#files.delete(path);
    const used = new Set<number>();
    for (const { rows } of this.#files.values()) for (const row of rows) used.add(row);
    used.delete(noRow);
    // A branch that is checked out again finds its vectors.
    if (this.#rows.size <= 2 * used.size + fewVectors) return;
    const unused = [...this.#rows].filter(([, row]) => !used.has(row));
    this.#database.change(() => {
      for (const [hash] of unused) this.#database.run("DELETE FROM vectors WHERE hash=?", hash);
      this.#setFact("edition", String(Number(this.#fact("edition") ?? 0) + 1));
      this.#load();
    });
  }

  /** Returns a function that computes the cosine of a row's vector and this one; undefined when they do not compare. */
  comparison(vector: Float32Array): ((row: number) => number) | undefined {
    if (vector.length !== this.#dimensions) return undefined;
    const { bytes: wanted, scale } = scaled(vector);
    const [all, scales, dimensions] = [this.#bytes, this.#scales, this.#dimensions];
    return (row) => {
      let sum = 0;
      const start = row * dimensions;
      // Integer arithmetic takes half the time.
      for (let at = 0; at < dimensions; at += 1) sum = (sum + Math.imul(wanted[at]!, all[start + at]!)) | 0;
      return sum * scale * scales[row]!;
    };
  }

  close(): void {
    this.#database.close();
  }

  #load(): void {
    const edition = this.#fact("edition") ?? "0";
    if (this.isReplaced) {
      this.#forget("");
      return;
    }
    if (edition !== this.#seen.edition) this.#forget(edition);
    this.#dimensions = Number(this.#fact("dimensions") ?? 0);
    const vectors = "SELECT number, hash, bytes FROM vectors WHERE number>? ORDER BY number";
    for (const [number, hash, bytes] of this.#database.all<[number, string, Uint8Array]>(
      vectors,
      this.#seen.vector,
    )) {
      if (bytes.length === this.#dimensions + scaleBytes) this.#hold(hash, bytes);
      this.#seen.vector = number;
    }
    const files = "SELECT number, path, content, hashes FROM files WHERE number>? ORDER BY number";
    for (const row of this.#database.all<[number, string, string, string]>(files, this.#seen.file)) {
      const [number, path, content, hashes] = row;
      const rows = Int32Array.from(
        hashes === "" ? [] : hashes.split(" "),
        (hash) => this.#rows.get(hash) ?? noRow,
      );
      this.#files.set(path, { content, rows });
      this.#seen.file = number;
    }
  }

  #hold(hash: string, stored: Uint8Array): void {
    const row = this.#rows.size;
    if (row === this.#scales.length) {
      const rows = Math.max(256, 2 * row);
      this.#scales = new Float32Array(this.#scales.buffer.transfer(4 * rows));
      this.#bytes = new Int8Array(this.#bytes.buffer.transfer(rows * this.#dimensions));
    }
    this.#scales[row] = new DataView(stored.buffer, stored.byteOffset).getFloat32(0, true);
    this.#bytes.set(
      new Int8Array(stored.buffer, stored.byteOffset + scaleBytes, this.#dimensions),
      row * this.#dimensions,
    );
    this.#rows.set(hash, row);
  }

  #startAgain(dimensions: number): void {
    this.#database.change(() => {
      this.#reset(dimensions);
      this.#database.run("DELETE FROM facts WHERE name='tokens'");
    });
  }

  /** Removes all vectors, which are of another model. Call it within a change. */
  #reset(dimensions: number): void {
    this.#database.run("DELETE FROM files");
    this.#database.run("DELETE FROM vectors");
    this.#setFact("model", this.#model);
    this.#setFact("dimensions", String(dimensions));
    this.#setFact("edition", String(Number(this.#fact("edition") ?? 0) + 1));
    this.#load();
  }

  #forget(edition: string): void {
    this.#rows = new Map();
    this.#files = new Map();
    this.#bytes = new Int8Array(0);
    this.#scales = new Float32Array(0);
    this.#seen = { ...this.#seen, edition, file: 0, vector: 0 };
  }

  #fact(name: string): string | undefined {
    return this.#database.one<[string]>("SELECT value FROM facts WHERE name=?", name)?.[0];
  }

  #setFact(name: string, value: string): void {
    this.#database.run("INSERT OR REPLACE INTO facts VALUES (?,?)", name, value);
  }
}

/** Describes the stored vectors without loading them; undefined when there are none. The next search replaces damaged ones. */
export function storedVectors(directory: string): StoredVectors | "damaged" | undefined {
  const file = join(directory, vectorsName);
  if (identityOf(file) === undefined) return undefined;
  const database = new IndexDatabase(directory, layout);
  try {
    const fact = (name: string) => database.one<[string]>("SELECT value FROM facts WHERE name=?", name)?.[0];
    const [vectors = 0] = database.one<[number]>("SELECT count(*) FROM vectors") ?? [];
    const model = fact("model");
    return model === undefined ? undefined : { model, vectors, tokens: Number(fact("tokens") ?? 0) };
  } catch (error) {
    if (isDamage(error) || isUnreadable(error)) return "damaged";
    throw error;
  } finally {
    database.close();
  }
}

export interface StoredVectors {
  readonly model: string;
  readonly vectors: number;
  /** Tokens sent to the model for them. */
  readonly tokens: number;
}

const fewVectors = 1000;
const scaleBytes = 4;

/** Returns a vector of length 1 as bytes, after the factor that turns them back into numbers. */
function quantized(vector: Float32Array): Uint8Array {
  const { bytes, scale } = scaled(vector);
  const stored = new Uint8Array(scaleBytes + bytes.length);
  new DataView(stored.buffer).setFloat32(0, scale, true);
  stored.set(new Uint8Array(bytes.buffer), scaleBytes);
  return stored;
}

function scaled(vector: Float32Array): { readonly bytes: Int8Array<ArrayBuffer>; readonly scale: number } {
  let squares = 0;
  let largest = 0;
  for (const value of vector) {
    squares += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  const bytes = Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
  return { bytes, scale: largest / 127 / Math.sqrt(squares) };
}
