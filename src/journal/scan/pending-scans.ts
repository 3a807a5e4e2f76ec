import { join } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import type { SharedRange, Snapshot } from "../../contract/snapshot.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { statsAt } from "../../system/attempt.ts";
import { makePrivateDirectory, namesIn } from "../../system/directories.ts";
import { linkFile, removeFile, replaceFile } from "../../system/linked-file.ts";
import { ownerHasEnded, thisProcess } from "../../system/process-identity.ts";
import type { Holdings } from "./holdings.ts";
import type { Ledger } from "./ledger.ts";
import { deltaOf, throughEarlier } from "./ledger-delta.ts";
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

  async add(begun: Begun): Promise<void> {
    const { callId, before } = begun;
    const ranges = this.#follow(before.snapshot);
    const base = this.#base;
    await this.#use(async (files) => {
      if (ranges !== undefined && base !== undefined && this.#link(base, callId)) {
        const delta = deltaOf(before, ranges, base.holdings);
        await store(files, callId, writeDelta(delta, before, base.callId, aboutOf(begun)));
        return;
      }
      await write(files, callId, begun);
      this.#setBase(begun);
    });
  }

  /** Keeps the ledger as the latest known one. `after` is the snapshot at the end of the scan. */
  async done(callId: string, after?: Snapshot): Promise<void> {
    if (after !== undefined) this.#follow(after);
    await this.#use((files) => files.move(callId, latestName, { replace: true }));
    const at = (name: string) => join(this.#folder, baseName(name));
    replaceFile(at(callId), at(latestName));
  }

  async latest(): Promise<KnownLedger | undefined> {
    const found = await this.#use((files) => read(files, latestName));
    return found && { ledger: found.ledger, collection: found.about.collection };
  }

  /** Takes over the scans of ended processes. */
  async takeOver(): Promise<readonly Begun[]> {
    const all = namesIn(this.#folder);
    this.#removeAbandoned(all);
    const names = all.filter(isPending);
    if (names.length === 0) return [];
    return this.#use(async (files) => {
      const taken: Begun[] = [];
      for (const name of names) {
        const begun = await takeOver(files, name);
        if (begun !== undefined) taken.push(begun);
      }
      return taken;
    });
  }

  /** Returns the stored contents that are needed to complete the scans. */
  async holdings(): Promise<ReadonlySet<string>> {
    const names = namesIn(this.#folder).filter(isPending);
    if (names.length === 0) return new Set();
    const found = await this.#use((files) => Promise.all(names.map((name) => read(files, name))));
    return new Set(
      found.flatMap((one) => {
        const holdings = one?.ledger.holdings;
        return Array.from(holdings?.positions() ?? [], (position) => holdings!.get(position)!);
      }),
    );
  }

  /** Removes links that a killed process has left without a scan. A link is made shortly before the file of its scan. */
  #removeAbandoned(names: readonly string[]): void {
    for (const name of names.filter((one) => isBase(one) && one !== baseName(latestName))) {
      const path = join(this.#folder, name);
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
    const file = identityOf(join(this.#folder, callId));
    if (snapshot.identity === undefined || file === undefined) return;
    this.#base = { callId, holdings, file };
    this.#remember(snapshot.identity, [{ first: 0, end: snapshot.entries.count, earlier: 0 }]);
  }

  /** Links the file of the base next to that of a call. Returns false when it no longer exists. */
  #link({ callId, file }: StoredBase, to: string): boolean {
    const names = [baseName(latestName), latestName, callId, ...namesIn(this.#folder).filter(isBase)];
    const link = join(this.#folder, baseName(to));
    return names.some((name) => {
      const path = join(this.#folder, name);
      if (identityOf(path) !== file || !linkFile(path, link)) return false;
      if (identityOf(link) === file) return true;
      // Another process has just replaced the file.
      removeFile(link);
      return false;
    });
  }

  async #use<Result>(act: (files: Environment) => Promise<Result>): Promise<Result> {
    makePrivateDirectory(this.#folder);
    const files = openLocalEnvironment({ workspace: this.#folder });
    try {
      return await act(files);
    } finally {
      await files.close();
    }
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
const maxRanges = 5000;
const abandonedMs = 3_600_000;
/** Commands that run at the same time have snapshots of their own. */
const maxFollowed = 16;
const maxLedgerBytes = 1024 * 1024 * 1024;

async function takeOver(files: Environment, name: string): Promise<Begun | undefined> {
  const found = await read(files, name);
  if (found === undefined) return undefined;
  const { ledger, about } = found;
  if (!ownerHasEnded(about.owner, Date.now() - ledger.snapshot.takenMs)) return undefined;
  const { uncovered, owner: _, ...rest } = about;
  const begun = { ...rest, before: { ...ledger, uncovered } };
  const ours = `${name}.${process.pid}`;
  try {
    await files.move(name, ours);
  } catch {
    // Another process has taken the scan.
    return undefined;
  }
  await write(files, ours, begun);
  await files.move(ours, begun.callId, { replace: true });
  removeFile(join(files.workspace, baseName(begun.callId)));
  return begun;
}

async function read(
  files: Environment,
  name: string,
): Promise<{ readonly ledger: Ledger; readonly about: About } | undefined> {
  const load = (file: string) =>
    files.readFile(file, { maxBytes: maxLedgerBytes }).catch(undefinedUnlessExhausted);
  const readBase = async (base: string, about: unknown): Promise<Ledger | undefined> => {
    for (const file of [(about as About).callId, latestName].map(baseName)) {
      const content = await load(file);
      const found = content && (await readLedger(content.bytes, async () => undefined));
      if ((found?.about as About | undefined)?.callId === base) return found?.ledger;
    }
    return undefined;
  };
  const content = await load(name);
  const found = content && (await readLedger(content.bytes, readBase));
  return found && { ledger: found.ledger, about: found.about as About };
}

async function write(files: Environment, name: string, begun: Begun): Promise<void> {
  await store(files, name, writeLedger(begun.before, aboutOf(begun)));
}

async function store(files: Environment, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await files.writeFile(name, bytes, { durable: false, mode: 0o600 });
  // This frees the memory at once. The ledger of a large workspace takes some 30 MB.
  bytes.buffer.transfer(0);
}

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
