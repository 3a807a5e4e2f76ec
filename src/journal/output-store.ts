import type { Environment } from "../contract/environment.ts";
import { newIdentifier } from "../text/identifier.ts";

/** Keeps outputs that were too long to show. Their handles can be given to tools instead of a path. */
export interface OutputStore {
  /** Keeps the whole text and answers with its handle, `out_…`. */
  keep(text: string): Promise<string>;
}

/** A store in the folder that the environment is rooted at; old outputs are removed at the first use. */
export function openOutputStore(openFiles: () => Environment): OutputStore {
  let files: Promise<Environment> | undefined;
  return {
    keep: async (text) => {
      files ??= removeOld(openFiles());
      const handle = newIdentifier("out");
      await (await files).writeFile(handle, Buffer.from(text), { durable: false, mode: 0o600 });
      return handle;
    },
  };
}

const keptForMs = 7 * 24 * 60 * 60 * 1000;

async function removeOld(files: Environment): Promise<Environment> {
  const directory = await files.openDirectory(".");
  try {
    for (const { name } of await directory.entries()) {
      const { modifiedMs } = await directory.info(name);
      if (modifiedMs < Date.now() - keptForMs) await files.delete(name);
    }
  } finally {
    directory.close();
  }
  return files;
}
