import { dirname } from "node:path";

/**
 * Mounts cost more the more there are: a thousand take a second. Where many paths lie in one directory, it stands for
 * all of them, until few enough are left. `top` itself stays.
 */
export function bundlePaths(
  paths: readonly string[],
  top: string,
  most: number = mostMounts,
): { readonly single: readonly string[]; readonly bundled: readonly string[] } {
  let single = paths;
  const bundled: string[] = [];
  while (single.length + bundled.length > most) {
    const counts = new Map<string, number>();
    for (const path of single) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    counts.delete(top);
    const [directory, count] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), ["", 1]);
    if (count < 2) break;
    single = single.filter((path) => !path.startsWith(`${directory}/`));
    bundled.push(directory);
  }
  return { single, bundled };
}

const mostMounts = 150;
