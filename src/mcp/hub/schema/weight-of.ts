/**
 * About how many characters it takes to write a value down, without doing so: infinitely many where that is more than
 * `max`, or where it is nested so deeply that nobody could walk through it.
 */
export function weightOf(value: unknown, max: number): number {
  let weight = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inside: unknown[] = [];
    for (const one of level) {
      weight += 2;
      if (typeof one === "string") weight += one.length;
      if (typeof one !== "object" || one === null) continue;
      const entries: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
      weight += entries.length;
      if (!Array.isArray(one)) for (const key of Object.keys(one)) weight += key.length + 3;
      if (weight > max) return Number.POSITIVE_INFINITY;
      for (const entry of entries) inside.push(entry);
    }
    if (depth >= maxDepth) return Number.POSITIVE_INFINITY;
    level = inside;
  }
  return weight > max ? Number.POSITIVE_INFINITY : weight;
}

const maxDepth = 500;
