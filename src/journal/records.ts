import type { DatabaseSync, StatementSync } from "node:sqlite";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { ownerHasEnded, thisProcess } from "../system/process-identity.ts";

export interface Entry {
  readonly at: number;
  readonly kind: string;
  readonly session: string;
  /** The id of the call it belongs to, or "". */
  readonly call: string;
  /** The content as JSON. */
  readonly body: string;
}

export interface Row extends Entry {
  readonly sequence: number;
}

export interface RunningCall {
  readonly callId: string;
  readonly isAlive: boolean;
}

/** The time after which a process in another container, which cannot be checked, counts as ended. */
export const sessionAbandonedMs: number = 24 * 60 * 60 * 1000;

/** The append-only records, each chained to the previous one, and the running calls. */
export class Records {
  readonly #insert: StatementSync;
  readonly #last: StatementSync;
  readonly #ofCall: StatementSync;
  readonly #start: StatementSync;
  readonly #end: StatementSync;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare(
      "INSERT INTO records (sequence, at, kind, session, call, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#last = database.prepare("SELECT sequence, hash FROM records ORDER BY sequence DESC LIMIT 1");
    this.#ofCall = database.prepare(`SELECT ${columns} FROM records WHERE call = ? ORDER BY sequence`);
    this.#start = database.prepare("INSERT OR REPLACE INTO running (call, owner, at) VALUES (?, ?, ?)");
    this.#end = database.prepare("DELETE FROM running WHERE call = ?");
  }

  /** Adds records in order and returns the last sequence number. Call it only inside a transaction. */
  append(entries: readonly Entry[]): number {
    let { sequence, hash } = this.last();
    for (const entry of entries) {
      sequence += 1;
      hash = hashLink(hash, { ...entry, sequence });
      const { at, kind, session, call, body } = entry;
      this.#insert.run(sequence, at, kind, session, call, body, hash);
      if (kind === "begin") this.#start.run(call, thisProcess(), at);
      else if (kind === "end") this.#end.run(call);
    }
    return sequence;
  }

  last(): { readonly sequence: number; readonly hash: string } {
    const last = this.#last.get() as { sequence: number; hash: string } | undefined;
    return last ?? { sequence: 0, hash: chainStart };
  }

  /** Returns the number of the first record; 1 without records. */
  first(): number {
    return Number(this.#database.prepare("SELECT min(sequence) AS first FROM records").get()?.first ?? 1);
  }

  /** Returns the calls that have begun and not ended, oldest first. */
  running(): readonly RunningCall[] {
    const rows = this.#database.prepare("SELECT call, owner, at FROM running ORDER BY at").all();
    return rows.map(({ call, owner, at }) => ({
      callId: String(call),
      isAlive: !ownerHasEnded(String(owner), Date.now() - Number(at), sessionAbandonedMs),
    }));
  }

  ofCall(callId: string): readonly Row[] {
    return this.#ofCall.all(callId) as unknown as Row[];
  }

  /** Returns the calls with the latest changes, the latest first. SQLite reads only the index of calls, not the records. */
  changingCalls(limit: number): readonly string[] {
    const query = `SELECT call FROM records WHERE kind = 'change'
      GROUP BY call ORDER BY max(sequence) DESC LIMIT ?`;
    return this.#database
      .prepare(query)
      .all(limit)
      .map(({ call }) => String(call));
  }

  /** Counts the calls of these sessions, and finds when the latest began. */
  countCalls(
    sessions: readonly string[],
  ): ReadonlyMap<string, { readonly calls: number; readonly lastAt: number }> {
    const query = `SELECT session, count(*) AS calls, max(at) AS lastAt FROM records
      WHERE kind IN ('begin', 'call') AND session IN (SELECT value FROM json_each(?)) GROUP BY session`;
    const rows = this.#database.prepare(query).all(JSON.stringify(sessions));
    return new Map(
      rows.map(({ session, calls, lastAt }) => [
        String(session),
        { calls: Number(calls), lastAt: Number(lastAt) },
      ]),
    );
  }

  page(after: number, limit: number): readonly Row[] {
    const query = `SELECT ${columns} FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?`;
    return this.#database.prepare(query).all(after, limit) as unknown as Row[];
  }

  /** Yields the records for which `condition` holds. Default order: oldest first. */
  *where(
    condition: string,
    values: readonly (string | number)[],
    { order = "ASC", limit = -1 }: { readonly order?: "ASC" | "DESC"; readonly limit?: number } = {},
  ): Generator<Row> {
    const query = `SELECT ${columns} FROM records WHERE ${condition} ORDER BY sequence ${order} LIMIT ?`;
    for (const row of this.#database.prepare(query).iterate(...values, limit)) yield row as unknown as Row;
  }
}

const columns = "sequence, at, kind, session, call, body";

/** Removes values that look like secrets from a text. The name of the field helps to recognise them. */
export type Redact = (text: string, name: string) => string;

/** Returns the JSON of a call's record. Secrets are removed first, then long texts are cut. */
export function printValue(value: Readonly<Record<string, unknown>>, redact: Redact): string {
  const print = (key: string, part: unknown): unknown => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part !== "string") return part;
    const safe = redact(part.slice(0, 2 * maxTextChars), key);
    return part.length <= maxTextChars ? safe : `${safe.slice(0, maxTextChars)}… (${part.length} characters)`;
  };
  try {
    // Most values need no change, and a plain stringify is much faster.
    return needsNoChange("", value, redact) ? JSON.stringify(value) : JSON.stringify(value, print);
  } catch (error) {
    const input = `[cannot be printed: ${(error as Error).message}]`;
    return JSON.stringify({ ...value, input }, print);
  }
}

const maxTextChars = 4_000;

function needsNoChange(key: string, part: unknown, redact: Redact, depth = 0): boolean {
  if (typeof part === "string") return part.length <= maxTextChars && redact(part, key) === part;
  if (typeof part !== "object" || part === null) return typeof part !== "bigint";
  // A deeper value may be circular.
  if (depth === maxDepth || "toJSON" in part) return false;
  const values = part as Readonly<Record<string, unknown>>;
  return Object.keys(part).every((name) => needsNoChange(name, values[name], redact, depth + 1));
}

const maxDepth = 8;

/** A stored record. `body` may have the exact bytes of the database. */
export interface Link extends Omit<Row, "body"> {
  readonly body: string | Uint8Array;
}

/** The hash before the first record of a chain. */
export const chainStart: string = "0".repeat(64);

/**
 * Returns the hash of a record: SHA-256 in lower-case hex of one line with a JSON array of the previous record's hash
 * and every other column, then the body. Altering, removing, adding or moving a record breaks all later hashes.
 */
export function hashLink(previous: string, link: Link): string {
  const { sequence, at, kind, session, call, body } = link;
  const line = `${JSON.stringify([previous, sequence, at, kind, session, call])}\n`;
  return contentHash(typeof body === "string" ? line + body : Buffer.concat([Buffer.from(line), body]));
}
