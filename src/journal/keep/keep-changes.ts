import type {
  ChangeOptions,
  ChangeReceipt,
  Effect,
  Environment,
  FileChange,
} from "../../contract/environment.ts";
import type { Change, EntryState } from "../../contract/history.ts";
import { ownRealPath } from "../../contract/own-real-path.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { isStale } from "../../system/file-errors.ts";
import { nothing } from "../entry-states.ts";
import type { BeforeImages } from "./before-images.ts";
import { type CallChanges, fileState } from "./call-changes.ts";

/** `Environment.change`, kept: each old content is what its change says, so what is replaced is what was kept. */
export async function keepChanges(
  environment: Environment,
  changes: readonly FileChange[],
  options: ChangeOptions,
  { images, record }: { readonly images: BeforeImages; readonly record: CallChanges },
): Promise<readonly ChangeReceipt[]> {
  const kept: KeptEnds[] = [];
  for (const change of changes) kept.push(await keepEnds(environment, change, images, options.signal));
  return environment.change(changes, {
    ...options,
    announce: (effects) => {
      const made = effects.slice(0, effects.length - changes.length);
      const receipts = effects.slice(made.length);
      record.record([
        ...record.made(made),
        ...receipts.map((receipt, index) => toChange(record, receipt, changes[index]!, kept[index]!)),
      ]);
      options.announce?.(effects);
    },
  });
}

interface KeptEnds {
  /** Where the entry points, when it is a link that goes. */
  readonly link: EntryState | undefined;
  readonly lost: string | undefined;
  /** Undefined when it is worked out elsewhere. */
  readonly afterHash: string | undefined;
}

async function keepEnds(
  environment: Environment,
  change: FileChange,
  images: BeforeImages,
  signal: AbortSignal | undefined,
): Promise<KeptEnds> {
  const { path, before, after } = change;
  const afterHash = after === "nothing" ? undefined : await images.keepNew(after);
  const link = after === "nothing" ? await linkAt(environment, path) : undefined;
  if (link !== undefined || before === "nothing" || images.has(before))
    return { link, lost: undefined, afterHash };
  const old = await images.keep(path, signal);
  if (old === undefined) throw isStale(path, "gone");
  if (old.hash !== before && old.hash !== "") throw isStale(path, "changed");
  return { link, lost: old.lost, afterHash };
}

async function linkAt(environment: Environment, path: string): Promise<EntryState | undefined> {
  const isLink = await environment.info(path, { followLinks: false }).then(
    ({ kind }) => kind === "link",
    // Whatever is wrong with it, the change will say.
    () => false,
  );
  return isLink ? environment.state(await ownRealPath(environment, path)) : undefined;
}

function toChange(
  record: CallChanges,
  { realPath, before, after, afterHash: knownHash }: Effect,
  change: FileChange,
  { link, lost, afterHash = knownHash }: KeptEnds,
): Change {
  return {
    path: record.nameOf(realPath),
    before: before === undefined ? nothing : (link ?? fileState(before, change.before)),
    after:
      after === undefined ? nothing : fileState(after, afterHash ?? contentHash(change.after as Uint8Array)),
    ...(lost === undefined ? {} : { lost }),
    ...(change.hardLinks === "keep" ? { hardLinks: "keep" } : {}),
  };
}
