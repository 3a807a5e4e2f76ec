import type { Journal } from "../journal.ts";
import { type RecordedTransaction, transactionsIn } from "./transaction-records.ts";

/** Which calls are undone together: those of a transaction that was committed. */
export class WholeTransactions {
  readonly #all: readonly RecordedTransaction[];

  constructor(journal: Pick<Journal, "records">) {
    this.#all = transactionsIn(journal);
  }

  /** The calls that an id means: all of a transaction, and a call with all that it belongs to. */
  callsOf(id: string): readonly string[] {
    return (this.#named(id) ?? this.of(id))?.calls ?? [id];
  }

  /** The same where a call is looked at by itself. */
  get apart(): Pick<WholeTransactions, "callsOf" | "of"> {
    return { callsOf: (id) => this.#named(id)?.calls ?? [id], of: () => undefined };
  }

  /** The committed transaction of a call. */
  of(callId: string): RecordedTransaction | undefined {
    return this.#all.find(({ state, calls }) => state === "committed" && calls.includes(callId));
  }

  #named(id: string): RecordedTransaction | undefined {
    return this.#all.find((transaction) => transaction.id === id);
  }

  /** Those among which calls are, each in a sentence. */
  describe(calls: readonly string[]): readonly string[] {
    const ids = new Set(calls.flatMap((callId) => this.of(callId)?.id ?? []));
    return Array.from(ids, (id) => `${id} was committed as one, and is undone as one.`);
  }
}
