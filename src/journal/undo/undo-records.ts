import type { Journal } from "../journal.ts";

/** The record that one call undoes others. It is written before the undo. */
export interface UndoRecord {
  readonly by: string;
  readonly calls: readonly string[];
  /** The undone paths, if not all paths were undone. */
  readonly paths?: readonly string[] | undefined;
  readonly hunk?: number | undefined;
  /** Whether it undid the latest undo. */
  readonly isRedo?: true | undefined;
}

export class UndoRecords {
  static readonly #known = new WeakMap<Journal, UndoRecords>();
  readonly #journal: Journal;
  readonly #records: UndoRecord[] = [];
  readonly #undos = new Set<string>();
  readonly #byCall = new Map<string, UndoRecord[]>();
  readonly #done = new Set<string>();
  #readUpTo = 0;

  /** Returns the undo records of a journal. Reads only new ones, because there may be thousands. */
  static of(journal: Journal): UndoRecords {
    const known = UndoRecords.#known.get(journal);
    const records = known?.isCurrent() ? known : new UndoRecords(journal);
    UndoRecords.#known.set(journal, records);
    records.#readOn();
    return records;
  }

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Returns false after a damaged journal was replaced by a new one. */
  isCurrent(): boolean {
    const last = this.#records.at(-1);
    return last === undefined || this.#journal.find(last.by) !== undefined;
  }

  add(record: UndoRecord): void {
    this.#journal.append(kind, record);
  }

  isUndo(callId: string): boolean {
    return this.#undos.has(callId);
  }

  /** Returns the calls that this call has undone. */
  undid(callId: string): readonly string[] {
    return this.#records.find(({ by }) => by === callId)?.calls ?? [];
  }

  /** Returns the call that has undone all of a call and was not undone itself. */
  undoneBy(callId: string): string | undefined {
    const records = this.#byCall.get(callId) ?? [];
    return records.findLast((one) => isWhole(one) && this.#isDone(one) && !this.undoneBy(one.by))?.by;
  }

  /** Returns whether an undo other than these may have reverted the changes of a call to a path. */
  mayBeUndone(callId: string, path: string, except: ReadonlySet<string>): boolean {
    const records = this.#byCall.get(callId) ?? [];
    return records.some(({ by, paths }) => !except.has(by) && (paths === undefined || paths.includes(path)));
  }

  /** Returns the latest undo that can be redone. */
  latest(isSelected: (callId: string) => boolean): string | undefined {
    return this.#records.findLast(
      (one) => !one.isRedo && this.#isDone(one) && isSelected(one.by) && !this.undoneBy(one.by),
    )?.by;
  }

  #readOn(): void {
    for (const { body, sequence } of this.#journal.records(kind, this.#readUpTo)) {
      const record = body as UndoRecord;
      this.#records.push(record);
      this.#undos.add(record.by);
      for (const call of record.calls) this.#byCall.set(call, [...(this.#byCall.get(call) ?? []), record]);
      this.#readUpTo = sequence;
    }
  }

  #isDone({ by }: UndoRecord): boolean {
    if (!this.#done.has(by) && this.#journal.find(by)?.outcome === "ok") this.#done.add(by);
    return this.#done.has(by);
  }
}

const kind = "undo";

function isWhole({ paths, hunk }: UndoRecord): boolean {
  return paths === undefined && hunk === undefined;
}
