import { join } from "node:path";
import type { SharedRange, Snapshot } from "../../contract/snapshot.ts";
import { statsAt } from "../../system/attempt.ts";
import { makePrivateDirectory, namesIn } from "../../system/directories.ts";
import { linkFile, moveFile, removeFile, replaceFile } from "../../system/linked-file.ts";
import { openPrivateFile, writePrivateFile } from "../../system/private-file.ts";
import { ownerHasEnded, thisProcess } from "../../system/process-identity.ts";
import { isTemporaryName } from "../../system/temporary-file.ts";
import type { Holdings } from "./holdings.ts";
import type { Ledger } from "./ledger.ts";
import { deltaOf, heldBeyond, throughEarlier } from "./ledger-delta.ts";
import type { Secured } from "./secure-contents.ts";
import { readLedger, writeDelta, writeLedger } from "./stored-ledger.ts";

/** A scan between its two snapshots. */
export interface Begun {
  readonly callId: string;
  /** The number of the last record before the scan. */
  readonly sequence: number;
  /** The number of the last collection of blobs before the scan. */
  readonly collection: number;
  readonly before: Secured;
}

export type KnownLedger = { readonly ledger: Ledger } & Pick<Begun, "collection">;

/**
 * The running scans, in a folder. When a process is killed, another one completes its scans. A ledger is stored whole, or
 * as the difference from one that this process has stored before: the file of that one is linked next to it.
 */
export class PendingScans {
  readonly #folder: string;
  /** The whole ledger that this process has stored last. */
  #base: StoredBase | undefined;
  /** Where the entries of the last snapshots are in that ledger, by the identities of the snapshots. */
  readonly #ranges = new Map<symbol, readonly SharedRange[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(begun: Begun): void {
    makePrivateDirectory(this.#folder);
    const ranges = this.#follow(begun.before.snapshot);
    if (ranges !== undefined && this.#base !== undefined && this.#addDelta(begun, ranges, this.#base)) return;
    this.#write(begun.callId, begun);
    this.#setBase(begun);
  }

  /** Returns false when the difference is not worth it, or the base no longer exists. */
  #addDelta(begun: Begun, ranges: readonly SharedRange[], base: StoredBase): boolean {
    const { callId, before } = begun;
    const held = heldBeyond(before, ranges, base.holdings);
    if (held.length > maxOwnPart * before.holdings.count + fewHeld || !this.#link(base, callId)) return false;
    const delta = deltaOf(before, ranges, held);
    writePrivateFile(this.#at(callId), writeDelta(delta, before, base.callId, aboutOf(begun)));
    return true;
  }

  /** Keeps the ledger as the latest known one. `after` is the snapshot at the end of the scan. */
  done(callId: string, after?: Snapshot): void {
    if (after !== undefined) this.#follow(after);
    moveFile(this.#at(callId), this.#at(latestName));
    replaceFile(this.#at(baseName(callId)), this.#at(baseName(latestName)));
  }

  latest(): KnownLedger | undefined {
    const found = this.#read(latestName);
    return found && { ledger: found.ledger, collection: found.about.collection };
  }

  /** Takes over the scans of ended processes. */
  takeOver(): readonly Begun[] {
    const names = namesIn(this.#folder);
    this.#removeAbandoned(names);
    return names.filter(isPending).flatMap((name) => this.#takeOver(name) ?? []);
  }

  /** Returns the stored contents that are needed to complete the scans. */
  holdings(): ReadonlySet<string> {
    const held = new Set<string>();
    for (const name of namesIn(this.#folder).filter(isPending)) {
      const holdings = this.#read(name)?.ledger.holdings;
      for (const position of holdings?.positions() ?? []) held.add(holdings!.get(position)!);
    }
    return held;
  }

  /**
   * Removes what a killed process has left: files that it was writing, and links without a scan. A link is made shortly
   * before the file of its scan.
   */
  #removeAbandoned(names: readonly string[]): void {
    const isLeft = (name: string) => isTemporaryName(name) || (isBase(name) && name !== baseName(latestName));
    for (const name of names.filter(isLeft)) {
      const path = this.#at(name);
      const isOld = Date.now() - (statsAt(path)?.ctimeMs ?? Date.now()) > abandonedMs;
      const callId = name.slice(0, -baseName("").length);
      // A process that takes over a scan adds a suffix to its name.
      const isUsed = names.some((one) => isPending(one) && `${one}.`.startsWith(`${callId}.`));
      if (isOld && !isUsed) removeFile(path);
    }
  }

  /** Returns where the entries of a snapshot are in the base; undefined when too many are not. */
  #follow(snapshot: Snapshot): readonly SharedRange[] | undefined {
    const { identity, shared, entries } = snapshot;
    const earlier = shared && this.#ranges.get(shared.with);
    if (identity === undefined || shared === undefined || earlier === undefined) return undefined;
    const ranges = throughEarlier(shared.ranges, earlier);
    const count = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
    if (entries.count - count > maxOwnPart * entries.count || ranges.length > maxRanges) return undefined;
    this.#remember(identity, ranges);
    return ranges;
  }

  #remember(identity: symbol, ranges: readonly SharedRange[]): void {
    this.#ranges.set(identity, ranges);
    const [oldest] = this.#ranges.keys();
    if (this.#ranges.size > maxFollowed) this.#ranges.delete(oldest!);
  }

  #setBase({ callId, before: { snapshot, holdings } }: Begun): void {
    this.#base = undefined;
    this.#ranges.clear();
    const file = identityOf(this.#at(callId));
    if (snapshot.identity === undefined || file === undefined) return;
    this.#base = { callId, holdings, file };
    this.#remember(snapshot.identity, [{ first: 0, end: snapshot.entries.count, earlier: 0 }]);
  }

  /** Links the file of the base next to that of a call. Returns false when it no longer exists. */
  #link({ callId, file }: StoredBase, to: string): boolean {
    const names = [baseName(latestName), latestName, callId, ...namesIn(this.#folder).filter(isBase)];
    const link = this.#at(baseName(to));
    return names.some((name) => {
      const path = this.#at(name);
      if (identityOf(path) !== file || !linkFile(path, link)) return false;
      if (identityOf(link) === file) return true;
      // Another process has just replaced the file.
      removeFile(link);
      return false;
    });
  }

  /** Returns undefined when the scan belongs to another process. */
  #takeOver(name: string): Begun | undefined {
    const found = this.#read(name);
    if (found === undefined) return undefined;
    const { ledger, about } = found;
    if (!ownerHasEnded(about.owner, Date.now() - ledger.snapshot.takenMs)) return undefined;
    const { uncovered, owner: _, ...rest } = about;
    const begun = { ...rest, before: { ...ledger, uncovered } };
    const ours = `${name}.${process.pid}`;
    try {
      moveFile(this.#at(name), this.#at(ours));
    } catch {
      // Another process has taken the scan.
      return undefined;
    }
    this.#write(ours, begun);
    moveFile(this.#at(ours), this.#at(begun.callId));
    removeFile(this.#at(baseName(begun.callId)));
    return begun;
  }

  #read(name: string): { readonly ledger: Ledger; readonly about: About } | undefined {
    const load = (file: string, readBase: Parameters<typeof readLedger>[1]) => {
      const opened = openPrivateFile(this.#at(file));
      try {
        return opened && readLedger(opened.take, readBase);
      } finally {
        opened?.close();
      }
    };
    const found = load(name, (base, about) => {
      for (const file of [(about as About).callId, latestName].map(baseName)) {
        const stored = load(file, () => undefined);
        if ((stored?.about as About | undefined)?.callId === base) return stored?.ledger;
      }
      return undefined;
    });
    return found && { ledger: found.ledger, about: found.about as About };
  }

  #write(name: string, begun: Begun): void {
    writePrivateFile(this.#at(name), writeLedger(begun.before, aboutOf(begun)));
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

interface About extends Omit<Begun, "before"> {
  readonly owner: string;
  readonly uncovered: ReadonlyMap<number, string>;
}

interface StoredBase extends Pick<Begun, "callId"> {
  readonly holdings: Holdings;
  /** See `identityOf`. */
  readonly file: string;
}

/** Identifies a file whatever its name is; undefined without one. Inodes alone are used again. */
function identityOf(path: string): string | undefined {
  const stats = statsAt(path);
  return stats && [stats.dev, stats.ino, stats.mtimeMs, stats.size].join(" ");
}

const latestName = "latest";
/** The largest part of a ledger that may differ from the base. */
const maxOwnPart = 0.1;
/** So many contents are not worth a whole ledger. */
const fewHeld = 100;
const maxRanges = 5000;
const abandonedMs = 3_600_000;
/** Commands that run at the same time have snapshots of their own. */
const maxFollowed = 16;

function aboutOf({ before, ...rest }: Begun): About {
  return { owner: thisProcess(), ...rest, uncovered: before.uncovered };
}

/** Returns whether a file in the folder belongs to a running scan. */
export function isPending(name: string): boolean {
  return name.startsWith("call_") && !isBase(name);
}

function isBase(name: string): boolean {
  return name.endsWith(baseName(""));
}

function baseName(name: string): string {
  return `${name}.base`;
}
