import type { Environment, WriteOptions, WriteReceipt } from "../../contract/environment.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { alreadyExists } from "../../system/file-errors.ts";
import { nothing } from "../entry-states.ts";
import type { BeforeImages } from "./before-images.ts";
import { type CallChanges, fileState } from "./call-changes.ts";
import { keepChanges } from "./keep-changes.ts";
import { refusing } from "./refusing.ts";
import { whileStale } from "./while-stale.ts";

/** `Environment.writeFile`, kept: a change from exactly the content that was kept. */
export async function keepWrite(
  environment: Environment,
  path: string,
  content: Uint8Array,
  options: WriteOptions,
  kept: { readonly images: BeforeImages; readonly record: CallChanges },
): Promise<WriteReceipt> {
  const { ifExists = "replace", mode, ...rest } = options;
  return whileStale(async () => {
    const old = await kept.images
      .keep(path, options.signal)
      .catch(refusing((announcing) => environment.writeFile(path, content, { ...options, ...announcing })));
    if (old !== undefined && ifExists === "refuse") throw alreadyExists(path);
    if (old?.lost !== undefined && old.hash === "") return writeOver(old.lost);
    const before = old?.hash ?? "nothing";
    const isNewWithMode = old === undefined && mode !== undefined;
    const change = { path, before, after: content, ...(isNewWithMode ? { mode } : {}) };
    const [receipt] = await keepChanges(environment, [change], rest, kept);
    return { created: old === undefined, info: receipt!.after! };
  });

  /** What was not read cannot be held to anything. */
  async function writeOver(lost: string): Promise<WriteReceipt> {
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
