import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { PrivatePlaces } from "../private-places.ts";

/** Where nothing can be mounted: links in the private home lead to what commands may read of the real one. */
export function linkCaches({ home: inside }: PrivatePlaces, home: string, caches: readonly string[]): void {
  for (const cache of caches) {
    const link = join(inside, relative(home, cache));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(cache, link);
  }
}

/** The variables without what would lead to the person's own home and temporary directory. */
export function privateVariables(
  variables: Readonly<Record<string, string>>,
  { home, temporary }: PrivatePlaces,
): Record<string, string> {
  const kept = Object.entries(variables).filter(([name]) => !/^XDG_.*_(?:HOME|DIR)$/.test(name));
  return { ...Object.fromEntries(kept), HOME: home, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
}
