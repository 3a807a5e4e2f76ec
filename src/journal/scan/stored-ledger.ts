import type { Snapshot } from "../../contract/snapshot.ts";
import { entriesFrom, partsOf } from "../../environment/entry-columns.ts";
import { Holdings } from "./holdings.ts";
import type { Ledger } from "./ledger.ts";
import { applyDelta, type LedgerDelta } from "./ledger-delta.ts";

/** Serializes a ledger together with other data. */
export function writeLedger({ snapshot, holdings }: Ledger, about: unknown): Uint8Array<ArrayBuffer> {
  const { entries, repositories: _, identity: __, shared: ___, ...rest } = snapshot;
  return v8().serialize({
    format,
    about,
    ...rest,
    repositories: statesOf(snapshot),
    entries: partsOf(entries),
    holdings: holdings.pack(everyPosition(entries.count)),
  });
}

/** Serializes the difference between a ledger and a stored one. `base` identifies the stored one. */
export function writeDelta(
  delta: LedgerDelta,
  { snapshot }: Pick<Ledger, "snapshot">,
  base: string,
  about: unknown,
): Uint8Array<ArrayBuffer> {
  return v8().serialize({ format: deltaFormat, about, base, repositories: statesOf(snapshot), delta });
}

function statesOf({ repositories }: Snapshot) {
  return repositories.map(({ path, prefix, state }) => ({ path, prefix, state }));
}

/**
 * Parses a serialized ledger. Returns undefined for other content or another version. `readBase` returns the stored
 * ledger of which the content is the difference.
 */
export async function readLedger(
  bytes: Uint8Array,
  readBase: (base: string, about: unknown) => Promise<Ledger | undefined>,
): Promise<{ readonly ledger: Ledger; readonly about: unknown } | undefined> {
  try {
    const { format: written, about, repositories, ...rest } = v8().deserialize(bytes);
    // The old index is not serialized.
    const restored = () =>
      repositories.map((repository: object) => ({ ...repository, readIndex: () => undefined }));
    if (written === deltaFormat) {
      const base = await readBase(rest.base, about);
      return base && { ledger: applyDelta(base, rest.delta, restored()), about };
    }
    if (written !== format) return undefined;
    const { holdings: packed, entries: parts, ...others } = rest;
    const entries = entriesFrom(parts);
    const snapshot: Snapshot = { ...others, entries, repositories: restored() };
    const holdings = new Holdings(entries.count);
    holdings.unpack(packed, everyPosition(entries.count));
    return { ledger: { snapshot, holdings }, about };
  } catch {
    return undefined;
  }
}

function everyPosition(count: number): Int32Array {
  return new Int32Array(count).map((_, position) => position);
}

const format = "toolcrib ledger 2";
const deltaFormat = "toolcrib ledger delta 2";

/** Loads the module on first use, because most calls need no scan. */
function v8(): typeof import("node:v8") {
  return process.getBuiltinModule("node:v8");
}
