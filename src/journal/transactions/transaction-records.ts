import type { Transaction } from "../../contract/transaction.ts";
import type { Journal } from "../journal.ts";

/** A transaction, as the journal knows it. */
export interface RecordedTransaction extends Transaction {
  readonly state: "open" | "committed" | "rolled back";
}

/** What is written down of a transaction: that it has begun, that a call belongs to it, how it ended. */
export type TransactionRecord =
  | { readonly id: string; readonly state: "open"; readonly name?: string }
  | { readonly id: string; readonly state: "open"; readonly call: string }
  | { readonly id: string; readonly state: "committed" }
  | { readonly id: string; readonly state: "rolled back"; readonly left?: readonly string[] };

export function addTransactionRecord(journal: Pick<Journal, "append">, record: TransactionRecord): void {
  journal.append(kind, record);
}

/** All transactions of a workspace, oldest first. */
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
