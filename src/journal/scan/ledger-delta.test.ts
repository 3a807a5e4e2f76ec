import { createHash } from "node:crypto";
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { figureCount, type SharedRange, type Snapshot } from "../../contract/snapshot.ts";
import { entriesFrom, joinFigures } from "../../environment/entry-columns.ts";
import { temporaryName } from "../../system/temporary-file.ts";
import { Holdings } from "./holdings.ts";
import type { Ledger } from "./ledger.ts";
import { applyDelta, deltaOf, heldBeyond, throughEarlier } from "./ledger-delta.ts";
import { PendingScans } from "./pending-scans.ts";

/** A ledger with one directory. Every name is also the number in its figures and its holding. */
function ledgerOf(names: readonly string[], shared?: Snapshot["shared"]): Ledger {
  const paths = ["d", ...names.map((name) => `d/${name}`)];
  const figures = new Float64Array(paths.length * figureCount).map(
    (_, at) => paths[Math.floor(at / figureCount)]!.length,
  );
  const snapshot: Snapshot = {
    takenMs: 1,
    entries: entriesFrom({ paths: Buffer.from(`${paths.join("\0")}\0`), figures }),
    targets: new Map([[1, "target"]]),
    leftOut: new Map([[0, "ignored"]]),
    contents: new Map([
      ["", { place: -1, first: 0, end: 1 }],
      ["d", { place: 0, first: 1, end: paths.length }],
    ]),
    repositories: [],
    identity: Symbol("snapshot"),
    shared,
  };
  const holdings = new Holdings(paths.length);
  for (const [position, path] of paths.entries())
    if (!path.endsWith("0")) holdings.set(position, holdingOf(path));
  return { snapshot, holdings };
}

/** A name of git for even lengths, otherwise a SHA-256. */
function holdingOf(path: string): string {
  return createHash(path.length % 2 === 0 ? "sha1" : "sha256")
    .update(path)
    .digest("hex");
}

function written(ledger: Ledger | undefined) {
  const { snapshot, holdings } = ledger!;
  const { identity: _, shared: __, entries, contents, ...rest } = snapshot;
  const held = Array.from(entries.paths(), (path, position) => [path, holdings.get(position)]);
  return { ...rest, contents: [...contents], held, figures: [...joinFigures(entries)] };
}

function pathsOf({ snapshot }: Ledger): readonly string[] {
  return [...snapshot.entries.paths()];
}

/** The ranges of one list in another, in order. */
function rangesOf(later: Ledger, earlier: Ledger): readonly SharedRange[] {
  return pathsOf(later).flatMap((path, first) => {
    const position = pathsOf(earlier).indexOf(path);
    return position < 0 ? [] : [{ first, end: first + 1, earlier: position }];
  });
}

const someNames = fc.uniqueArray(fc.nat(30).map(String), { minLength: 1 });

it("restores a ledger from a stored one and the difference, by way of others", { tags: "slow" }, () => {
  fc.assert(
    fc.property(someNames, someNames, someNames, (first, second, third) => {
      const ledgers = [first, second, third].map((names) => ledgerOf(names));
      const [base, middle, last] = ledgers as [Ledger, Ledger, Ledger];
      const ranges = throughEarlier(rangesOf(last, middle), rangesOf(middle, base));
      for (const { first: at, earlier } of ranges)
        expect(last.snapshot.entries.pathAt(at)).toBe(base.snapshot.entries.pathAt(earlier));
      const delta = deltaOf(last, ranges, heldBeyond(last, ranges, base.holdings));
      expect(written(applyDelta(base, delta, []))).toEqual(written(last));
    }),
  );
});

const names = Array.from({ length: 50 }, (_, number) => String(number));

function begun(callId: string, before: Ledger) {
  return {
    ...{ callId, sequence: 1, collection: 2 },
    before: { ...before, uncovered: new Map([[1, "why"]]) },
  };
}

/** A ledger with all entries of another and some more. */
function after(ledger: Ledger, more: readonly string[]): Ledger {
  const ranges = [{ first: 0, end: ledger.snapshot.entries.count, earlier: 0 }];
  const [, ...paths] = pathsOf(ledger);
  return ledgerOf([...paths.map((path) => path.slice(2)), ...more], {
    with: ledger.snapshot.identity!,
    ranges,
  });
}

function heldBy({ holdings }: Ledger): ReadonlySet<string | undefined> {
  return new Set(Array.from(holdings.positions(), (position) => holdings.get(position)));
}

it("stores one whole ledger for many scans, and another process reads each of them", async () => {
  await using folder = temporaryFolder();
  const scans = join(folder.path, "scans");
  const pending = new PendingScans(scans);
  const first = ledgerOf(names);
  pending.add(begun("call_1", first));
  const second = after(first, ["new 1"]);
  pending.done("call_1", second.snapshot);
  const third = after(second, ["new 2"]);
  pending.add(begun("call_2", third));
  const fourth = after(third, []);
  pending.add(begun("call_3", fourth));
  expect(readdirSync(scans).sort()).toEqual(["call_2", "call_2.base", "call_3", "call_3.base", "latest"]);
  const other = new PendingScans(scans);
  expect(written(other.latest()?.ledger)).toEqual(written(first));
  expect(other.holdings()).toEqual(heldBy(fourth));
  pending.done("call_3");
  expect(readdirSync(scans).sort()).toEqual(["call_2", "call_2.base", "latest", "latest.base"]);
  expect(written(other.latest()?.ledger)).toEqual(written(fourth));
  pending.done("call_2");
  expect(written(other.latest()?.ledger)).toEqual(written(third));
  // Too much has changed since.
  pending.add(
    begun(
      "call_4",
      after(
        third,
        names.map((name) => `more ${name}`),
      ),
    ),
  );
  pending.done("call_4");
  expect(readdirSync(scans)).toEqual(["latest"]);
});

it("stores a whole ledger again when many contents were copied since", async () => {
  await using folder = temporaryFolder();
  const scans = join(folder.path, "scans");
  const pending = new PendingScans(scans);
  const many = Array.from({ length: 2000 }, (_, number) => String(number));
  const { snapshot, holdings } = ledgerOf(many);
  pending.add(begun("call_1", { snapshot, holdings: new Holdings(holdings.count) }));
  pending.done("call_1", snapshot);
  const second = { ...after({ snapshot, holdings }, []), holdings };
  pending.add(begun("call_2", second));
  pending.done("call_2", second.snapshot);
  expect(readdirSync(scans)).toEqual(["latest"]);
  const third = { ...after(second, ["new"]) };
  pending.add(begun("call_3", third));
  pending.done("call_3");
  expect(readdirSync(scans).sort()).toEqual(["latest", "latest.base"]);
  expect(written(new PendingScans(scans).latest()?.ledger)).toEqual(written(third));
});

it("stores a whole ledger when another file has the inode of the stored one", async () => {
  await using folder = temporaryFolder();
  const scans = join(folder.path, "scans");
  const pending = new PendingScans(scans);
  const first = ledgerOf(names);
  pending.add(begun("call_1", first));
  pending.done("call_1", first.snapshot);
  writeFileSync(join(scans, "latest"), "the ledger of another process");
  const second = after(first, []);
  pending.add(begun("call_2", second));
  expect(new PendingScans(scans).holdings()).toEqual(heldBy(second));
});

it("removes the files of a killed process, but keeps the stored ledger of a scan that it was taking over", async () => {
  await using folder = temporaryFolder();
  const scans = join(folder.path, "scans");
  const pending = new PendingScans(scans);
  const first = ledgerOf(names);
  pending.add(begun("call_1", first));
  pending.done("call_1", first.snapshot);
  const second = after(first, []);
  pending.add(begun("call_2", second));
  renameSync(join(scans, "call_2"), join(scans, "call_2.77"));
  const draft = join(scans, temporaryName());
  writeFileSync(draft, "");
  try {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 3_600_000 });
    pending.takeOver();
  } finally {
    vi.useRealTimers();
  }
  expect(existsSync(draft)).toBe(false);
  expect(pending.holdings()).toEqual(heldBy(second));
});
