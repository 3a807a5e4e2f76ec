/** The changes of many calls as one: to be kept together, or taken back together. One can be open in a room. */
export interface Transactions {
  /** From now on every call that changes something belongs to it. `already-exists` when one is open. */
  begin(name?: string): Promise<Transaction>;
  /** The open one; `not-found` when none is. */
  current(): Promise<Transaction>;
  /** Keeps what its calls changed; undo takes them back together. `not-found` when none is open. */
  commit(): Promise<Transaction>;
  /**
   * Takes back what its calls changed, but for files that somebody has changed since: it stays open for those. `aside`:
   * as a call of its own, where the calls to be taken back include the one that asks.
   */
  rollback(options?: { readonly aside?: boolean }): Promise<RolledBack>;
}

export interface Transaction {
  readonly id: string;
  readonly name: string | undefined;
  /** The calls that belong to it, oldest first. */
  readonly calls: readonly string[];
}

export interface RolledBack extends Transaction {
  /** What was brought back or removed. */
  readonly paths: readonly string[];
  /** What was left alone because somebody else has changed it since; when there is any, the transaction is still open. */
  readonly left: readonly string[];
  /** What else is worth knowing, in sentences: why something was left alone, or not brought back. */
  readonly notes: readonly string[];
}
