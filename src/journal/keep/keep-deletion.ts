import type { DeleteOptions, Environment } from "../../contract/environment.ts";
import type { Change } from "../../contract/history.ts";
import { isStale } from "../../environment/failures.ts";
import type { BeforeImages } from "./before-images.ts";
import { type CallChanges, isUnchanged, nothing } from "./call-changes.ts";
import { keepEntry } from "./keep-entry.ts";
import { type FoundEntry, listEntries } from "./list-entries.ts";
import { ownRealPath } from "./own-real-path.ts";
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
    const { found, changes } = await prepare().catch(
      refusing((announcing) => environment.delete(path, { ...options, ...announcing })),
    );
    const known = new Map(found?.map((entry) => [entry.realPath, entry.info]));
    let isRecorded = false;
    await environment.delete(path, {
      ...options,
      announce: (effects) => {
        for (const { realPath, before } of effects) {
          const isKept = found === undefined || isUnchanged(known.get(realPath), before);
          if (!isKept) throw isStale(record.nameOf(realPath), known.has(realPath) ? "changed" : "there");
        }
        if (!isRecorded) record.record(changes);
        isRecorded = true;
        options.announce?.(effects);
      },
    });
  });

  async function prepare(): Promise<{
    readonly found: readonly FoundEntry[] | undefined;
    readonly changes: readonly Change[];
  }> {
    const found = await find();
    return { found, changes: await keepAll(found) };
  }

  /** Undefined when it is more than is kept. */
  async function find(): Promise<readonly FoundEntry[] | undefined> {
    const info = await environment.info(path, { followLinks: false });
    const realPath = await ownRealPath(environment, path);
    if (info.kind !== "directory" || options.recursive !== true) return [{ realPath, info }];
    return listEntries(environment, { realPath, info }, { maxEntries: images.limits.maxEntries, ...options });
  }

  async function keepAll(found: readonly FoundEntry[] | undefined): Promise<readonly Change[]> {
    if (found === undefined) return [await loseAll()];
    const changes: Change[] = [];
    for (const entry of found) {
      const { state, lost } = await keepEntry(environment, entry, images, options.signal);
      const name = record.nameOf(entry.realPath);
      if (state !== undefined)
        changes.push({ path: name, before: state, after: nothing, ...(lost === undefined ? {} : { lost }) });
    }
    return changes;
  }

  async function loseAll(): Promise<Change> {
    const realPath = await ownRealPath(environment, path);
    const { lost } = images.lose(path, `it held more than ${images.limits.maxEntries} files and directories`);
    return { path: record.nameOf(realPath), before: await environment.state(realPath), after: nothing, lost };
  }
}
