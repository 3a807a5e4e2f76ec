import type * as contract from "../../contract/environment.ts";
import type { ChangeReceipt, Environment, FileInfo } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { ownRealPath } from "../../lib/own-real-path.ts";
import { alreadyExists, isStale } from "../../system/file-errors.ts";
import { nothing } from "../entry-states.ts";
import { type BeforeImages, type FoundEntry, listEntries, specialFile } from "./before-images.ts";
import { fileState, isUnchanged, type Keeping, keepChanges } from "./keep-changes.ts";

/** Does `Environment.writeFile` with recording. Replaces exactly the content that was stored. */
export async function keepWrite(
  environment: Environment,
  path: string,
  content: Uint8Array,
  options: contract.WriteOptions,
  kept: Keeping,
): Promise<contract.WriteReceipt> {
  const { ifExists = "replace", mode, ...rest } = options;
  return whileStale(async () => {
    const old = await kept.images
      .keep(path, options.signal)
      .catch(refusing((announcing) => environment.writeFile(path, content, { ...options, ...announcing })));
    if (old !== undefined && ifExists === "refuse") throw alreadyExists(path);
    if (old?.lost !== undefined && old.hash === "") return writeOver(old.lost);
    const before = old?.hash ?? "nothing";
    const change = { path, before, after: content, mode: old === undefined ? mode : undefined };
    const [receipt] = await keepChanges(environment, [change], rest, kept);
    return { created: old === undefined, info: receipt!.after! };
  });

  /** Replaces a file that cannot be read, without checking its content. */
  async function writeOver(lost: string): Promise<contract.WriteReceipt> {
    const afterHash = await kept.images.keepNew(content);
    return environment.writeFile(path, content, {
      ...options,
      announce: (effects) => {
        const { realPath, before, after } = effects.at(-1)!;
        kept.record.record([
          {
            path: kept.record.nameOf(realPath),
            before: before ? fileState(before, "") : nothing,
            after: after ? fileState(after, afterHash ?? contentHash(content)) : nothing,
            lost,
          },
        ]);
      },
    });
  }
}

/** Does `Environment.delete` with recording. Deletes only entries that were stored and have not changed since. */
export async function keepDeletion(
  environment: Environment,
  path: string,
  options: contract.DeleteOptions,
  { images, record }: Keeping,
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
        return options.announce?.(effects);
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
    for (let at = 0; at < found.length; at += keptAtOnce) {
      const some = found.slice(at, at + keptAtOnce);
      // Several at once, because each may be a round trip to another machine.
      const kept = await Promise.all(
        some.map((entry) => keepEntry(environment, entry, images, options.signal)),
      );
      for (const [index, { state, lost }] of kept.entries()) {
        const path = record.nameOf(some[index]!.realPath);
        if (state !== undefined) changes.push({ path, before: state, after: nothing, lost });
      }
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

const keptAtOnce = 8;

interface Prepared {
  readonly changes: readonly Change[];
  /** The entries that may be deleted, by real path. Undefined allows all. */
  readonly known: ReadonlyMap<string, FileInfo | undefined> | undefined;
}

/** Does `Environment.move` with recording. The moved content still exists, so only replaced content is stored. */
export async function keepMove(
  environment: Environment,
  from: string,
  to: string,
  options: contract.MoveOptions,
  { images, record }: Keeping,
): Promise<void> {
  await whileStale(async () => {
    const { source, target } = await prepare().catch(
      refusing((announcing) => environment.move(from, to, { ...options, ...announcing })),
    );
    await environment.move(from, to, {
      ...options,
      announce: (effects) => {
        const [leaving, arriving] = effects.slice(-2) as [ChangeReceipt, ChangeReceipt];
        if (!isUnchanged(source.info, leaving.before)) throw isStale(from, "changed");
        if (!isUnchanged(target?.info, arriving.before)) throw isStale(to, target ? "changed" : "there");
        const ends = [record.nameOf(leaving.realPath), record.nameOf(arriving.realPath)] as const;
        record.record([...record.made(effects.slice(0, -2)), ...changesOf(ends, source.state, target)]);
        return options.announce?.(effects);
      },
    });
  });

  async function prepare(): Promise<{
    readonly source: MovedEntry;
    readonly target: StoredEntry | undefined;
  }> {
    const info = await environment.info(from, { followLinks: false });
    const source = { info, state: await stateOf(info) };
    const replaced = options.replace === true ? await infoAt(to) : undefined;
    if (replaced === undefined || replaced.kind === "directory") return { source, target: undefined };
    const entry = { realPath: await ownRealPath(environment, to), info: replaced };
    return { source, target: { ...entry, ...(await keepEntry(environment, entry, images, options.signal)) } };
  }

  async function stateOf(info: FileInfo): Promise<EntryState | undefined> {
    if (info.kind === "directory") return { kind: "directory", mode: info.mode };
    if (info.kind === "file" && info.bytes > maxHashedBytes) return fileState(info, "");
    if (info.kind !== "other") return environment.state(await ownRealPath(environment, from));
    images.lose(from, specialFile);
    return undefined;
  }

  async function infoAt(path: string): Promise<FileInfo | undefined> {
    try {
      return await environment.info(path, { followLinks: false });
    } catch (error) {
      if (error instanceof ToolError && error.code === "not-found") return undefined;
      throw error;
    }
  }
}

interface MovedEntry {
  readonly info: FileInfo;
  /** Undefined for special files. */
  readonly state: EntryState | undefined;
}

interface StoredEntry extends MovedEntry {
  readonly lost?: string | undefined;
}

function changesOf(
  [from, to]: readonly [string, string],
  moved: EntryState | undefined,
  replaced: StoredEntry | undefined,
): readonly Change[] {
  if (moved === undefined) return [];
  return [
    { path: from, before: moved, after: nothing, moved: to },
    { path: to, before: replaced?.state ?? nothing, after: moved, moved: from, lost: replaced?.lost },
  ];
}

/** The largest file that is hashed. Larger ones are not, so that recording does not slow down a rename. */
const maxHashedBytes = 64 * 1024 * 1024;

/** Stores the content of an entry and returns its state; undefined for a special file. */
async function keepEntry(
  environment: Environment,
  { realPath, info }: FoundEntry,
  images: BeforeImages,
  signal: AbortSignal | undefined,
): Promise<{ readonly state: EntryState | undefined; readonly lost?: string | undefined }> {
  if (info === undefined) {
    images.lose(realPath, "its name is not valid UTF-8");
    return { state: undefined };
  }
  switch (info.kind) {
    case "directory":
      return { state: { kind: "directory", mode: info.mode } };
    case "link":
      return { state: await environment.state(realPath) };
    case "other":
      images.lose(realPath, specialFile);
      return { state: undefined };
    case "file": {
      const kept = await images.keep(realPath, signal);
      if (kept === undefined) throw isStale(realPath, "gone");
      return { state: fileState(info, kept.hash), lost: kept.lost };
    }
  }
}

/** Retries while files change in the meantime. Each retry means that another process has made progress. */
async function whileStale<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      const isStale = error instanceof ToolError && error.code === "stale";
      if (!isStale || tries >= maxTries) throw error;
    }
  }
}

const maxTries = 50;

/**
 * Handles a failure to store: throws the error of the change itself when that is invalid, otherwise the given error.
 */
function refusing(
  change: (options: Required<contract.Announcing>) => Promise<unknown>,
): (error: unknown) => Promise<never> {
  return async (error) => {
    await change({
      announce: () => {
        throw error;
      },
    });
    throw error;
  };
}
