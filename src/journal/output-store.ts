import type { Environment } from "../contract/environment.ts";
import { newIdentifier } from "../text/identifier.ts";

/** Keeps outputs that were too long to show. Their handles can be given to tools instead of a path. */
export interface OutputStore {
  /** Keeps the whole text and answers with its handle, `out_…`. */
  keep(text: string): Promise<string>;
}

/** A store in the folder that `files` is rooted at; what is older than a week is removed at the first use. */
export function openOutputStore(files: Environment): OutputStore {
  let isTidied = false;
  return {
    keep: async (text) => {
      if (!isTidied) {
        isTidied = true;
        await removeOld(files);
      }
      const handle = newIdentifier("out");
      await files.writeFile(handle, Buffer.from(text), { durable: false, mode: 0o600 });
      return handle;
    },
  };
}

const keptForMs = 7 * 24 * 60 * 60 * 1000;

/** Another process may tidy at the same time, and somebody may have put things there: whatever resists stays. */
async function removeOld(files: Environment): Promise<void> {
  const directory = await files.openDirectory(".");
  try {
    for (const { name } of await directory.entries()) {
      const info = await directory.info(name).catch(() => undefined);
      const isOld = info !== undefined && info.modifiedMs < Date.now() - keptForMs;
      if (isOld) await files.delete(name).catch(() => undefined);
    }
  } finally {
    directory.close();
  }
}
