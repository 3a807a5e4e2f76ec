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

/** What was moved is not copied, and where only permissions changed no content is needed. */
function isKept({ before, after, lost, moved }: Change, blobs: Pick<Blobs, "has">): boolean {
  if (before.kind !== "file" || lost !== undefined || moved !== undefined) return true;
  const isSame = after.kind === "file" && after.hash === before.hash;
  return isSame || blobs.has(before.hash);
}
