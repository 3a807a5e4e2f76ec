import { join } from "node:path";
import { mayBePublicKeys } from "../lib/public-keys.ts";
import { statsAt } from "../system/attempt.ts";
import { namesIfReadable } from "../system/directories.ts";
import { hasStamp, type KnownDirectory, type PathRules, stampOf, type TreeEntry } from "./tree-scan.ts";

/** Finds hidden entries at the top of tool chains, and only there, such as `credentials.toml` of cargo. */
export class CacheSecrets {
  #isHidden: PathRules["isHidden"] | undefined;
  readonly #known = new Map<string, Pick<KnownDirectory, "stamp" | "hidden">>();

  in(caches: readonly string[], { isHidden }: PathRules): readonly TreeEntry[] {
    if (this.#isHidden !== isHidden) this.#known.clear();
    this.#isHidden = isHidden;
    return caches.flatMap((cache) => this.#look(cache, isHidden));
  }

  #look(cache: string, isHidden: PathRules["isHidden"]): readonly TreeEntry[] {
    const stats = statsAt(cache);
    if (stats?.isDirectory() !== true) return [];
    const known = this.#known.get(cache);
    if (known !== undefined && hasStamp(stats, known.stamp)) return known.hidden;
    const now = Date.now();
    const names = namesIfReadable(cache);
    const paths = names.map((name) => join(cache, name));
    const hidden = paths.filter(isHidden).flatMap((path): TreeEntry[] => {
      const entry = statsAt(path);
      return entry === undefined ? [] : [{ path, kind: entry.isDirectory() ? "directory" : "file" }];
    });
    const stamp = names.some(mayBePublicKeys) ? undefined : stampOf(stats, now);
    this.#known.set(cache, { stamp, hidden });
    return hidden;
  }
}
