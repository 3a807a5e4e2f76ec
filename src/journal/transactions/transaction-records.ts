import type { Transaction } from "../../contract/history.ts";
import type { Journal } from "../journal.ts";

interface RecordedTransaction extends Transaction {
  readonly state: "open" | "committed" | "rolled back";
}

/** The record of a transaction that began, added a call, or ended. */
type TransactionRecord =
  | { readonly id: string; readonly state: "open"; readonly name?: string }
  | { readonly id: string; readonly state: "open"; readonly call: string }
  | { readonly id: string; readonly state: "committed" }
  | { readonly id: string; readonly state: "rolled back"; readonly left?: readonly string[] | undefined };

export function addTransactionRecord(journal: Pick<Journal, "append">, record: TransactionRecord): void {
  journal.append(kind, record);
}

/** Returns all transactions of a workspace, oldest first. */
export function transactionsIn(journal: Pick<Journal, "records">): readonly RecordedTransaction[] {
  const found = new Map<string, RecordedTransaction>();
  for (const { body } of journal.records(kind)) {
    const record = body as TransactionRecord;
    const known = found.get(record.id) ?? { id: record.id, name: undefined, calls: [], state: "open" };
    const calls = "call" in record ? [...known.calls, record.call] : known.calls;
    const name = "name" in record ? record.name : known.name;
    found.set(record.id, { ...known, name, calls, state: record.state });
  }
  return [...found.values()];
}

const kind = "transaction";

/** The calls of committed transactions, which are undone together. */
export class WholeTransactions {
  readonly #all: readonly RecordedTransaction[];

  constructor(journal: Pick<Journal, "records">) {
    this.#all = transactionsIn(journal);
  }

  /** Returns all calls of a transaction, given its id or the id of one of its calls. */
  callsOf(id: string): readonly string[] {
    return (this.#named(id) ?? this.of(id))?.calls ?? [id];
  }

  /** The same lookups, in which each call stands alone and not for its transaction. */
  get apart(): Pick<WholeTransactions, "callsOf" | "of"> {
    return { callsOf: (id) => this.#named(id)?.calls ?? [id], of: () => undefined };
  }

  /** Returns the committed transaction of a call. */
  of(callId: string): RecordedTransaction | undefined {
    return this.#all.find(({ state, calls }) => state === "committed" && calls.includes(callId));
  }

  #named(id: string): RecordedTransaction | undefined {
    return this.#all.find((transaction) => transaction.id === id);
  }

  /** Returns a sentence for each transaction that contains one of the calls. */
  describe(calls: readonly string[]): readonly string[] {
    const ids = new Set(calls.flatMap((callId) => this.of(callId)?.id ?? []));
    return Array.from(ids, (id) => `${id} was committed as a unit and is undone as a unit.`);
  }
}
