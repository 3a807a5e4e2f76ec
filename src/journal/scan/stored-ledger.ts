import type { Snapshot } from "../../contract/snapshot.ts";
import type { PackedBlock } from "../../environment/entry-block.ts";
import { entriesOf, packEntries } from "../../environment/entry-columns.ts";
import type { TakeBytes } from "../../system/private-file.ts";
import { Holdings } from "./holdings.ts";
import type { Ledger } from "./ledger.ts";
import { applyDelta, contentsFrom, type LedgerDelta, triplesOf } from "./ledger-delta.ts";

// A stored ledger is the length of its header, the header by `v8.serialize`, and the memory of entries and holdings.

/** Returns the pieces of a file with a ledger and other data. Large pieces are not copied. */
export function writeLedger({ snapshot, holdings }: Ledger, about: unknown): readonly Uint8Array[] {
  const { takenMs, targets, leftOut, contents, entries } = snapshot;
  const blocks = packEntries(entries);
  const packed = holdings.memory();
  const header: StoredLedger = {
    ...{ format, about, takenMs, targets, leftOut },
    repositories: statesOf(snapshot),
    contents: triplesOf(contents),
    blocks: blocks.map(({ memory, ...shape }) => ({ ...shape, bytes: memory.byteLength })),
    holdings: packed.map((piece) => piece.byteLength),
  };
  return [...prefixed(header), ...blocks.map(({ memory }) => new Uint8Array(memory)), ...packed];
}

/** Returns the pieces of a file with the difference between a ledger and a stored one, which `base` identifies. */
export function writeDelta(
  delta: LedgerDelta,
  { snapshot }: Pick<Ledger, "snapshot">,
  base: string,
  about: unknown,
): readonly Uint8Array[] {
  return prefixed({ format: deltaFormat, about, base, repositories: statesOf(snapshot), delta });
}

/**
 * Reads a stored ledger. Returns undefined for other content or another version. `readBase` returns the stored
 * ledger of which the content is the difference.
 */
export function readLedger(
  take: TakeBytes,
  readBase: (base: string, about: unknown) => Ledger | undefined,
): { readonly ledger: Ledger; readonly about: unknown } | undefined {
  try {
    const [bytes] = new Uint32Array(take(4));
    const header = v8().deserialize(new Uint8Array(take(bytes!))) as StoredLedger | StoredDelta;
    const { about } = header;
    // The old index is not stored.
    const repositories = header.repositories.map((repository) => ({
      ...repository,
      readIndex: () => undefined,
    }));
    if (header.format === deltaFormat) {
      const base = readBase(header.base, about);
      return base && { ledger: applyDelta(base, header.delta, repositories), about };
    }
    if (header.format !== format) return undefined;
    const { takenMs, targets, leftOut } = header;
    const entries = entriesOf(header.blocks.map((block) => ({ ...block, memory: take(block.bytes) })));
    const contents = contentsFrom(header.contents, entries);
    const holdings = Holdings.from(entries.count, header.holdings.map(take));
    const snapshot: Snapshot = { takenMs, targets, leftOut, contents, entries, repositories };
    return { ledger: { snapshot, holdings }, about };
  } catch {
    return undefined;
  }
}

interface StoredLedger extends Pick<Snapshot, "takenMs" | "targets" | "leftOut"> {
  readonly format: typeof format;
  readonly about: unknown;
  readonly repositories: readonly RepositoryState[];
  readonly contents: Int32Array;
  readonly blocks: readonly (Omit<PackedBlock, "memory"> & { readonly bytes: number })[];
  /** The lengths of the pieces of the holdings. */
  readonly holdings: readonly number[];
}

interface StoredDelta {
  readonly format: typeof deltaFormat;
  readonly about: unknown;
  readonly base: string;
  readonly repositories: readonly RepositoryState[];
  readonly delta: LedgerDelta;
}

type RepositoryState = Omit<Snapshot["repositories"][number], "readIndex">;

function statesOf({ repositories }: Snapshot): readonly RepositoryState[] {
  return repositories.map(({ path, prefix, state }) => ({ path, prefix, state }));
}

function prefixed(header: StoredLedger | StoredDelta): readonly Uint8Array[] {
  const bytes = v8().serialize(header);
  return [new Uint8Array(Uint32Array.of(bytes.length).buffer), bytes];
}

const format = "toolcrib ledger 3";
const deltaFormat = "toolcrib ledger delta 3";

/** Loads the module on first use, because most calls need no scan. */
function v8(): typeof import("node:v8") {
  return process.getBuiltinModule("node:v8");
}
