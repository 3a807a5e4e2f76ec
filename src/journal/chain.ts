import { contentHash } from "../lib/content-hash.ts";

/** One record as it stands in the database. */
export interface Link {
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  readonly session: string;
  /** The call it belongs to, or "". */
  readonly call: string;
  /** JSON, in the very bytes that are kept. */
  readonly body: string | Uint8Array;
}

/** What the first record of a chain follows. */
export const chainStart: string = "0".repeat(64);

/**
 * The hash of a record: SHA-256, in lower-case hex, of one line with the hash of the record before and every other
 * column as a JSON array, and then the body. Whoever alters, removes, adds or moves a record breaks all that follow.
 */
export function hashLink(previous: string, link: Link): string {
  const { sequence, at, kind, session, call, body } = link;
  const line = `${JSON.stringify([previous, sequence, at, kind, session, call])}\n`;
  return contentHash(typeof body === "string" ? line + body : Buffer.concat([Buffer.from(line), body]));
}
