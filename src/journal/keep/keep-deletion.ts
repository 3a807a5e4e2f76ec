import type { DeleteOptions, Environment, FileInfo } from "../../contract/environment.ts";
import type { Change } from "../../contract/history.ts";
import { ownRealPath } from "../../contract/own-real-path.ts";
import { isStale } from "../../system/file-errors.ts";
import { nothing } from "../entry-states.ts";
import type { BeforeImages } from "./before-images.ts";
import { type CallChanges, isUnchanged } from "./call-changes.ts";
import { keepEntry } from "./keep-entry.ts";
import { type FoundEntry, listEntries } from "./list-entries.ts";
import { refusing } from "./refusing.ts";
import { whileStale } from "./while-stale.ts";

/**
 * `Environment.delete`, kept: all that goes is kept and on record before the first entry goes, and what has come or
 * changed since does not go with it.
 */
export async function keepDeletion(
  environment: Environment,
  path: string,
  options: DeleteOptions,
  { images, record }: { readonly images: BeforeImages; readonly record: CallChanges },
): Promise<void> {
  await whileStale(async () => {
    const { changes, known } = await prepare().catch(
      refusing((announcing) => environment.delete(path, { ...options, ...announcing })),
    );
    let isRecorded = false;
    await environment.delete(path, {
      ...options,
      announce: (effects) => {
        for (const { realPath, before } of effects) refuseUnkept(known, realPath, before);
        if (!isRecorded) record.record(changes);
        isRecorded = true;
        options.announce?.(effects);
      },
    });
  });

  async function prepare(): Promise<Prepared> {
    const info = await environment.info(path, { followLinks: false });
    const top = { realPath: await ownRealPath(environment, path), info };
    const isTree = info.kind === "directory" && options.recursive === true;
    const found = isTree ? await listEntries(environment, top, { ...images.limits, ...options }) : [top];
    return typeof found === "string" ? loseAll(top.realPath, found) : keepAll(found);
  }

  async function keepAll(found: readonly FoundEntry[]): Promise<Prepared> {
    const changes: Change[] = [];
    for (const entry of found) {
      const { state, lost } = await keepEntry(environment, entry, images, options.signal);
      const name = record.nameOf(entry.realPath);
      if (state !== undefined)
        changes.push({ path: name, before: state, after: nothing, ...(lost === undefined ? {} : { lost }) });
    }
    return { changes, known: new Map(found.map(({ realPath, info }) => [realPath, info])) };
  }

  async function loseAll(realPath: string, reason: string): Promise<Prepared> {
    const { lost } = images.lose(path, reason);
    const before = await environment.state(realPath);
    return { changes: [{ path: record.nameOf(realPath), before, after: nothing, lost }], known: undefined };
  }

  function refuseUnkept(known: Prepared["known"], realPath: string, now: FileInfo | undefined): void {
    if (known === undefined) return;
    if (!known.has(realPath)) throw isStale(record.nameOf(realPath), "there");
    const kept = known.get(realPath);
    if (kept !== undefined && !isUnchanged(kept, now)) throw isStale(record.nameOf(realPath), "changed");
  }
}

interface Prepared {
  readonly changes: readonly Change[];
  /** What may go, by its real path; undefined when all may. */
  readonly known: ReadonlyMap<string, FileInfo | undefined> | undefined;
}
