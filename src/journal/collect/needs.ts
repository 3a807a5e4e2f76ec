import type { Breath } from "../../lib/breath.ts";
import type { Journal } from "../journal.ts";
import type { Records, Row } from "../records.ts";

/** What must not be collected, and how old the rest is. A record needs every content whose hash it names. */
export class Needs {
  readonly #openSessions: ReadonlySet<string>;
  readonly #openTransactions: readonly number[];
  /** From here on everything is needed. */
  readonly #heldFrom: number;
  readonly #held = new Set<string>();
  readonly #namedAt = new Map<string, number>();
  #firstOfOpenSession = Number.POSITIVE_INFINITY;
  #seenUpTo = 0;
  #isSeen = false;

  private constructor(journal: Journal, oldest: number) {
    const sessions = journal.sessions().filter(({ state }) => state === "open");
    this.#openSessions = new Set(sessions.map(({ session }) => session));
    this.#openTransactions = openTransactions(journal);
    const checkpoints = journal.records("checkpoint").filter(({ at }) => at >= oldest);
    this.#heldFrom = Math.min(...this.#openTransactions, ...checkpoints.map(({ sequence }) => sequence));
  }

  static async find(journal: Journal, oldest: number, breath: Breath): Promise<Needs> {
    const needs = new Needs(journal, oldest);
    for (let isMore = true; isMore; ) {
      // A page at a time: others may write between.
      const rows = journal.page(needs.#seenUpTo, pageSize);
      for (const row of rows) needs.#see(row);
      isMore = rows.length > 0;
      if (breath.isDue) await breath.take();
    }
    needs.#isSeen = true;
    return needs;
  }

  /** Looks at what was recorded since. */
  catchUp(records: Records): void {
    for (const row of records.page(this.#seenUpTo, Number.MAX_SAFE_INTEGER)) this.#see(row);
  }

  /** Adds what no record names. */
  hold(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#held.add(hash);
  }

  holds(hash: string): boolean {
    return this.#held.has(hash);
  }

  /** When a record last named it, in milliseconds since 1970. */
  namedAt(hash: string): number {
    return this.#namedAt.get(hash) ?? 0;
  }

  /** The first record that an open session or transaction needs. */
  get firstRecord(): number {
    return Math.min(this.#firstOfOpenSession, ...this.#openTransactions);
  }

  #see({ sequence, at, session, body }: Row): void {
    this.#seenUpTo = sequence;
    const isOfOpen = this.#openSessions.has(session);
    if (isOfOpen) this.#firstOfOpenSession = Math.min(this.#firstOfOpenSession, sequence);
    // What is recorded while we look belongs to somebody who is at work, or was just now.
    const isHeld = isOfOpen || sequence >= this.#heldFrom || this.#isSeen;
    for (const hash of body.match(/[0-9a-f]{64}/g) ?? []) {
      this.#namedAt.set(hash, at);
      if (isHeld) this.#held.add(hash);
    }
  }
}

const pageSize = 500;

/** Where the transactions began that were neither committed nor rolled back. */
function openTransactions(journal: Journal): readonly number[] {
  const open = new Map<string, number>();
  for (const { sequence, body } of journal.records("transaction")) {
    const { id, state } = body as { readonly id: string; readonly state: string };
    if (state === "open") open.set(id, open.get(id) ?? sequence);
    else open.delete(id);
  }
  return [...open.values()];
}
