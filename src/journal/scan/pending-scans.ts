import type { Environment } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import { makePrivateDirectory, namesIn } from "../../system/directories.ts";
import { ownerHasEnded, thisProcess } from "../../system/process-identity.ts";
import { type Ledger, readLedger, writeLedger } from "./ledger.ts";
import type { Secured } from "./secure-contents.ts";

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

/** The running scans, in a folder. When a process is killed, another one completes its scans. */
export class PendingScans {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(begun: Begun): Promise<void> {
    await this.#use((files) => write(files, begun.callId, begun));
  }

  /** Keeps the ledger as the latest known one. */
  async done(callId: string): Promise<void> {
    await this.#use((files) => files.move(callId, latestName, { replace: true }));
  }

  async latest(): Promise<KnownLedger | undefined> {
    const found = await this.#use((files) => read(files, latestName));
    return found && { ledger: found.ledger, collection: found.about.collection };
  }

  /** Takes over the scans of ended processes. */
  async takeOver(): Promise<readonly Begun[]> {
    const names = namesIn(this.#folder).filter(isPending);
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
      found.flatMap((one) => one?.ledger.holdings.filter((holding) => holding !== undefined) ?? []),
    );
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

const latestName = "latest";
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
  return begun;
}

async function read(
  files: Environment,
  name: string,
): Promise<{ readonly ledger: Ledger; readonly about: About } | undefined> {
  const content = await files.readFile(name, { maxBytes: maxLedgerBytes }).catch(undefinedUnlessExhausted);
  const found = content && readLedger(content.bytes);
  return found && { ledger: found.ledger, about: found.about as About };
}

async function write(files: Environment, name: string, { before, ...rest }: Begun): Promise<void> {
  const about: About = { owner: thisProcess(), ...rest, uncovered: before.uncovered };
  await files.writeFile(name, writeLedger(before, about), { durable: false, mode: 0o600 });
}

/** Returns whether a file in the folder belongs to a running scan. */
export function isPending(name: string): boolean {
  return name.startsWith("call_");
}
