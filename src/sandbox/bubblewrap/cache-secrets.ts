import { lstatSync } from "node:fs";
import { join } from "node:path";
import { namesIfReadable } from "../../system/names-in.ts";
import type { Entry, Judge } from "./entries-below.ts";

/**
 * What is hidden at the top of tools' caches, and only there: `credentials.toml` of cargo. A cache is read again when it
 * has changed.
 */
export class CacheSecrets {
  #isHidden: Judge["isHidden"] | undefined;
  readonly #known = new Map<string, Known>();

  in(caches: readonly string[], { isHidden }: Judge): readonly Entry[] {
    if (this.#isHidden !== isHidden) this.#known.clear();
    this.#isHidden = isHidden;
    return caches.flatMap((cache) => this.#look(cache, isHidden));
  }

  #look(cache: string, isHidden: Judge["isHidden"]): readonly Entry[] {
    const stats = lstatSync(cache, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return [];
    const known = this.#known.get(cache);
    if (known?.changed === stats.ctimeMs && known.inode === stats.ino) return known.secrets;
    const secrets = secretsIn(cache, isHidden);
    // The clock of a file system is coarse: what has changed just now may change again unseen.
    if (Date.now() - stats.ctimeMs >= settledMs)
      this.#known.set(cache, { changed: stats.ctimeMs, inode: stats.ino, secrets });
    return secrets;
  }
}

interface Known {
  readonly changed: number;
  readonly inode: number;
  readonly secrets: readonly Entry[];
}

const settledMs = 100;

function secretsIn(cache: string, isHidden: Judge["isHidden"]): readonly Entry[] {
  return namesIfReadable(cache)
    .map((name) => join(cache, name))
    .filter(isHidden)
    .flatMap((path): Entry[] => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ path, kind: stats.isDirectory() ? "directory" : "file" }];
    });
}
