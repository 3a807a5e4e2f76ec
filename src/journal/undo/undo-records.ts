import type { Journal } from "../journal.ts";

/** That one call has taken back others. Written down before it does. */
export interface UndoRecord {
  /** The call that undid. */
  readonly by: string;
  readonly calls: readonly string[];
  /** Where only a part was undone: these. */
  readonly paths?: readonly string[];
  readonly hunk?: number;
  /** What it undid was itself an undo. */
  readonly isRedo?: true;
}

/** What was undone in a workspace, as the journal knows it. */
export class UndoRecords {
  readonly #journal: Journal;
  readonly #records: readonly UndoRecord[];

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#records = journal.records(kind).map(({ body }) => body as UndoRecord);
  }

  add(record: UndoRecord): void {
    this.#journal.append(kind, record);
  }

  /** Whether a call is an undo or a redo. */
  isUndo(callId: string): boolean {
    return this.#records.some(({ by }) => by === callId);
  }

  /** The call that has undone all of a call, and was not undone itself. */
  undoneBy(callId: string): string | undefined {
    const record = this.#records.findLast(
      (one) => one.calls.includes(callId) && isWhole(one) && this.#isDone(one) && !this.undoneBy(one.by),
    );
    return record?.by;
  }

  /** Whether an undo, other than these, has perhaps taken back what a call did to a path. */
  mayBeUndone(callId: string, path: string, except: ReadonlySet<string>): boolean {
    return this.#records.some(
      ({ by, calls, paths }) =>
        calls.includes(callId) && !except.has(by) && (paths === undefined || paths.includes(path)),
    );
  }

  /** The latest undo that can be redone. */
  latest(isMeant: (callId: string) => boolean): string | undefined {
    const record = this.#records.findLast(
      (one) => !one.isRedo && isMeant(one.by) && this.#isDone(one) && !this.undoneBy(one.by),
    );
    return record?.by;
  }

  #isDone({ by }: UndoRecord): boolean {
    return this.#journal.find(by)?.outcome === "ok";
  }
}

const kind = "undo";

function isWhole({ paths, hunk }: UndoRecord): boolean {
  return paths === undefined && hunk === undefined;
}
