import type { Environment } from "../../contract/environment.ts";
import { makePrivateDirectory } from "../../environment/directories.ts";
import { isGone, thisProcess } from "../../environment/local/changes/process-owner.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { type Ledger, readLedger, writeLedger } from "./ledger.ts";
import type { Secured } from "./secure-contents.ts";

/** A scan between its two snapshots. */
export interface Begun {
  readonly callId: string;
  /** Where the journal was. */
  readonly sequence: number;
  /** The last collection of blobs before it. */
  readonly collection: number;
  readonly before: Secured;
}

export type KnownLedger = { readonly ledger: Ledger } & Pick<Begun, "collection">;

/** The scans that run, in a folder: what a process leaves there that is killed, another completes. */
export interface PendingScans {
  add(begun: Begun): Promise<void>;
  /** Its ledger stays, as the latest that is known. */
  done(callId: string): Promise<void>;
  /** Those whose process is gone; they are in the care of this one from then on. */
  takeOver(): Promise<readonly Begun[]>;
  latest(): Promise<KnownLedger | undefined>;
}

export function openPendingScans(folder: string): PendingScans {
  let opened: Environment | undefined;
  const files = () => {
    if (opened === undefined) makePrivateDirectory(folder);
    opened ??= openLocalEnvironment({ workspace: folder });
    return opened;
  };
  const read = async (name: string) => {
    const content = await files()
      .readFile(name, { maxBytes: maxLedgerBytes })
      .catch(() => undefined);
    return content && readLedger(content.bytes);
  };
  const write = (name: string, { before, ...rest }: Begun) => {
    const about: About = { owner: thisProcess(), ...rest, uncovered: before.uncovered };
    return files().writeFile(name, writeLedger(before, about), { durable: false, mode: 0o600 });
  };
  return {
    add: async (begun) => void (await write(begun.callId, begun)),
    done: (callId) => files().move(callId, latestName, { replace: true }),
    latest: async () => {
      const found = await read(latestName);
      return found && { ledger: found.ledger, collection: (found.about as About).collection };
    },
    takeOver: async () => {
      const taken: Begun[] = [];
      for (const { name, modifiedMs } of await list(files())) {
        const found = await read(name);
        const about = found?.about as About | undefined;
        if (!found || !about || !isGone(about.owner, Date.now() - modifiedMs)) continue;
        const { uncovered, owner: _, ...rest } = about;
        const begun = { ...rest, before: { ...found.ledger, uncovered } };
        // Two may find it: the one whose move comes too late leaves it to the other.
        const ours = `${name}.${process.pid}`;
        const isOurs = await files()
          .move(name, ours)
          .then(
            () => true,
            () => false,
          );
        if (!isOurs) continue;
        await write(ours, begun);
        await files().move(ours, begun.callId, { replace: true });
        taken.push(begun);
      }
      return taken;
    },
  };
}

interface About extends Omit<Begun, "before"> {
  readonly owner: string;
  readonly uncovered: ReadonlyMap<number, string>;
}

const latestName = "latest";
const maxLedgerBytes = 1024 * 1024 * 1024;

async function list(
  files: Environment,
): Promise<readonly { readonly name: string; readonly modifiedMs: number }[]> {
  const directory = await files.openDirectory(".");
  try {
    const found = [];
    for (const { name } of await directory.entries()) {
      if (!name.startsWith("call_")) continue;
      const info = await directory.info(name).catch(() => undefined);
      if (info !== undefined) found.push({ name, modifiedMs: info.modifiedMs });
    }
    return found;
  } finally {
    directory.close();
  }
}
