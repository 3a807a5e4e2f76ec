import { dirname } from "node:path";
import type { Entry } from "./entries-below.ts";

/**
 * Mounts cost more the more there are: a thousand take a second. Where much of a directory is hidden, all of it is, until
 * few enough are left. `top` itself stays.
 */
export function bundleHidden(
  entries: readonly Entry[],
  top: string,
  most: number = mostMounts,
): { readonly hidden: readonly Entry[]; readonly bundled: readonly string[] } {
  let hidden = entries;
  const bundled: string[] = [];
  while (hidden.length > most) {
    const counts = new Map<string, number>();
    for (const { path } of hidden) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    counts.delete(top);
    const [directory, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ["", 1]);
    if (count < 2) break;
    bundled.push(directory);
    hidden = [
      ...hidden.filter(({ path }) => !path.startsWith(`${directory}/`)),
      { path: directory, kind: "directory" },
    ];
  }
  return { hidden, bundled };
}

const mostMounts = 150;
