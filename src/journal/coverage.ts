import type { Change } from "../contract/history.ts";
import type { Blobs } from "./blobs.ts";

/**
 * How much of what a call changed can be brought back. "partly": some of it was not kept, as was said then. "gone": what
 * was kept has since been collected.
 */
export type Coverage = "whole" | "partly" | "gone";

/** Undefined where nothing was changed. */
export function coverageOf(changes: readonly Change[], blobs: Pick<Blobs, "has">): Coverage | undefined {
  if (changes.length === 0) return undefined;
  if (changes.some((change) => !isKept(change, blobs))) return "gone";
  return changes.some(({ lost }) => lost !== undefined) ? "partly" : "whole";
}

function isKept(change: Change, blobs: Pick<Blobs, "has">): boolean {
  const hash = neededContent(change);
  return hash === undefined || blobs.has(hash);
}

/** The hash of what is needed to take a change back. Not where it was moved, or where only permissions changed. */
export function neededContent({ before, after, lost, moved }: Change): string | undefined {
  if (before.kind !== "file" || lost !== undefined || moved !== undefined) return undefined;
  return after.kind === "file" && after.hash === before.hash ? undefined : before.hash;
}
