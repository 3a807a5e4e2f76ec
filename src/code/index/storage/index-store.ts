import { DamagedIndex } from "./bytes.ts";
import { addRow, type FileRecord, type FileRow, FileTable, type NewRecord, rowOf } from "./file-record.ts";
import { checkOf, IndexDatabase } from "./index-database.ts";
import { SegmentTable } from "./segment-table.ts";

/** Holds an index in memory and in its database. `sync` loads changes of other processes. */
export class IndexStore {
  readonly segments: SegmentTable;
  readonly #database: IndexDatabase;
  #records = new FileTable();
  #changed = 0;
  #seen = -1;
  #edition = 0;

  constructor(directory: string) {
    this.#database = new IndexDatabase(directory);
    this.segments = new SegmentTable(this.#database);
  }

  get problem(): string | undefined {
    const { problem } = this.#database;
    return problem && `The index is only in memory: ${problem}`;
  }

  get isCurrent(): boolean {
    return this.#database.isCurrent;
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  get records(): Pick<FileTable, "size" | "get" | "values"> {
    return this.#records;
  }

  get edition(): number {
    return this.#edition;
  }

  get nextFile(): number {
    return this.#database.nextNumber("files");
  }

  record(number: number): FileRecord | undefined {
    return this.#records.record(number);
  }

  sync(): void {
    this.#database.read(() => this.#takeOver());
  }

  /** Runs `act` on one consistent state, which includes everything written before. */
  read<Result>(act: () => Result): Result {
    return this.#database.read(() => {
      this.#takeOver();
      return act();
    });
  }

  /** Runs `act` while no other process writes, after loading their changes. */
  change<Result>(act: () => Result): Result {
    try {
      return this.#database.change(() => {
        this.#takeOver();
        this.#changed = 0;
        const result = act();
        if (this.#changed > 0) this.#database.run("UPDATE maps SET changes = changes + ?", this.#changed);
        return result;
      });
    } catch (error) {
      // The changes were rolled back, so the memory is loaded again.
      this.#seen = -1;
      this.segments.forget();
      this.sync();
      throw error;
    }
  }

  /** Adds a record, which replaces that of the same path. Call this and the methods below within `change`. */
  add(record: NewRecord): FileRecord {
    const before = this.#records.get(record.path);
    if (before !== undefined) this.remove(before);
    const added = this.#records.add(this.nextFile, record);
    this.#database.run("INSERT INTO files VALUES (?,?,?,?,?,?,?,?,?,?)", ...rowOf(added));
    return added;
  }

  update(record: FileRecord): void {
    const [number, ...values] = rowOf(record);
    this.#database.run(
      "UPDATE files SET path=?, figures=?, settled=?, hash=?, language=?, traits=?, lexical=?, words=?, checked=? WHERE number=?",
      ...values,
      number,
    );
  }

  remove(record: FileRecord): void {
    this.#records.remove(record);
    this.#database.run("DELETE FROM files WHERE number=?", record.number);
    this.#database.run("DELETE FROM outlines WHERE file=?", record.number);
    if (record.words > 0) this.#changed++;
  }

  addOutline(file: number, bytes: Uint8Array): void {
    const check = checkOf(bytes, "outline", file);
    this.#database.run("INSERT OR REPLACE INTO outlines VALUES (?,?,?)", file, bytes, check);
    this.#changed++;
  }

  outline(file: number): Uint8Array {
    const sql = "SELECT bytes, checked FROM outlines WHERE file=?";
    return this.#database.checked(sql, "outline", file);
  }

  /** Returns a stored map, and how many outlines were added or removed since. `check` identifies its content. */
  map(wanted: string): StoredBytes | undefined {
    const sql = "SELECT changes, checked FROM maps WHERE wanted=?";
    const [changes, check] = this.#database.one<[number, number]>(sql, wanted) ?? [];
    if (changes === undefined || check === undefined) return undefined;
    const bytes = () => {
      const [found] = this.#database.one<[Uint8Array]>("SELECT bytes FROM maps WHERE wanted=?", wanted)!;
      if (checkOf(found, wanted, 0) !== check) throw new DamagedIndex("a map is damaged");
      return found;
    };
    return { changes, check, bytes };
  }

  /** Returns what the stored maps are of. */
  get maps(): readonly string[] {
    return this.#database.all<[string]>("SELECT wanted FROM maps").map(([wanted]) => wanted);
  }

  /** Stores a map, which replaces the one for the same `wanted`, and removes the oldest of too many. */
  addMap(wanted: string, bytes: Uint8Array): void {
    const check = checkOf(bytes, wanted, 0);
    this.#database.run("INSERT OR REPLACE INTO maps VALUES (?,0,?,?)", wanted, bytes, check);
    this.#database.run("DELETE FROM maps WHERE rowid <= (SELECT max(rowid) FROM maps) - ?", mostMaps);
  }

  close(): void {
    this.#database.close();
  }

  discard(): void {
    this.#database.discard();
  }

  #takeOver(): void {
    const seen = this.#database.othersWrote;
    // Replaced records keep their rows until all are read again.
    const isWasteful = this.#records.added > 2 * this.#records.size + fewRows;
    if (seen === this.#seen && !isWasteful) return;
    this.#readFiles();
    this.segments.read();
    for (const { lexical, words } of this.#records.values()) {
      if (![lexical, words].every((segment) => segment <= 0 || this.segments.has(segment)))
        throw new DamagedIndex("a segment is missing");
    }
    this.#seen = seen;
    this.#edition++;
  }

  #readFiles(): void {
    this.#records = new FileTable();
    for (const row of this.#database.each<FileRow>("SELECT * FROM files ORDER BY number"))
      if (addRow(row, this.#records) === undefined) throw new DamagedIndex("a file has changed");
  }
}

const mostMaps = 16;
const fewRows = 1000;

interface StoredBytes {
  readonly changes: number;
  readonly check: number;
  readonly bytes: () => Uint8Array;
}
