import type { Breath } from "../../text/breath.ts";
import type { Journal } from "../journal.ts";
import type { Row } from "../records.ts";

/** What must not be collected, and how old the rest is. */
export interface Needs {
  /** Hashes of contents that are still needed. */
  readonly held: ReadonlySet<string>;
  /** When each content was last named by a record. */
  readonly namedAt: ReadonlyMap<string, number>;
  /** The first record that an open session or transaction needs. */
  readonly firstRecord: number;
}

/** Looks through all records. A content is needed by whatever record names its hash, of whatever kind. */
export async function findNeeds(journal: Journal, oldest: number, breath: Breath): Promise<Needs> {
  const open = new Set(
    journal.sessions().flatMap(({ session, state }) => (state === "open" ? [session] : [])),
  );
  const transactions = openTransactions(journal);
  const checkpoints = journal.records("checkpoint").filter(({ at }) => at >= oldest);
  const heldFrom = Math.min(...transactions, ...checkpoints.map(({ sequence }) => sequence));
  const held = new Set<string>();
  const namedAt = new Map<string, number>();
  let firstOpen = Number.POSITIVE_INFINITY;
  for await (const { sequence, at, session, body } of allRecords(journal, breath)) {
    const isHeld = open.has(session) || sequence >= heldFrom;
    if (open.has(session)) firstOpen = Math.min(firstOpen, sequence);
    for (const hash of body.match(/[0-9a-f]{64}/g) ?? []) {
      namedAt.set(hash, at);
      if (isHeld) held.add(hash);
    }
  }
  return { held, namedAt, firstRecord: Math.min(firstOpen, ...transactions) };
}

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

/** A page at a time: others may write between. */
async function* allRecords(journal: Journal, breath: Breath): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = journal.page(after, pageSize);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.sequence;
    if (breath.isDue) await breath.take();
  }
}

const pageSize = 500;
