import type { Journal } from "../journal.ts";

/** That one call has taken back others. Written down before it does. */
export interface UndoRecord {
  /** The call that undid. */
  readonly by: string;
  readonly calls: readonly string[];
  /** Where only a part was undone: these. */
  readonly paths?: readonly string[];
  readonly hunk?: number;
  /** What it undid was the latest undo. */
  readonly isRedo?: true;
}

/** What was undone in a workspace, as the journal knows it. */
export class UndoRecords {
  readonly #journal: Journal;
  readonly #records: readonly UndoRecord[];
  readonly #undos: ReadonlySet<string>;
  /** Those that undid a call, by that call. */
  readonly #byCall = new Map<string, UndoRecord[]>();
  readonly #outcomes = new Map<string, boolean>();

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#records = journal.records(kind).map(({ body }) => body as UndoRecord);
    this.#undos = new Set(this.#records.map(({ by }) => by));
    for (const record of this.#records) {
      for (const call of record.calls) {
        const known = this.#byCall.get(call);
        if (known) known.push(record);
        else this.#byCall.set(call, [record]);
      }
    }
  }

  add(record: UndoRecord): void {
    this.#journal.append(kind, record);
  }

  /** Whether a call is an undo or a redo. */
  isUndo(callId: string): boolean {
    return this.#undos.has(callId);
  }

  /** The call that has undone all of a call, and was not undone itself. */
  undoneBy(callId: string): string | undefined {
    const records = this.#byCall.get(callId) ?? [];
    return records.findLast((one) => isWhole(one) && this.#isDone(one) && !this.undoneBy(one.by))?.by;
  }

  /** Whether an undo, other than these, has perhaps taken back what a call did to a path. */
  mayBeUndone(callId: string, path: string, except: ReadonlySet<string>): boolean {
    const records = this.#byCall.get(callId) ?? [];
    return records.some(({ by, paths }) => !except.has(by) && (paths === undefined || paths.includes(path)));
  }

  /** The latest undo that can be redone. */
  latest(isMeant: (callId: string) => boolean): string | undefined {
    return this.#records.findLast(
      (one) => !one.isRedo && this.#isDone(one) && isMeant(one.by) && !this.undoneBy(one.by),
    )?.by;
  }

  #isDone({ by }: UndoRecord): boolean {
    const known = this.#outcomes.get(by);
    const isDone = known ?? this.#journal.find(by)?.outcome === "ok";
    this.#outcomes.set(by, isDone);
    return isDone;
  }
}

const kind = "undo";

function isWhole({ paths, hunk }: UndoRecord): boolean {
  return paths === undefined && hunk === undefined;
}
