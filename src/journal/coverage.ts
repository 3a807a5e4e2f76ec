import type { Change } from "../contract/history.ts";
import type { Blobs } from "./blobs.ts";

/**
 * How much of a call can be undone. "partly" means that some content was never stored, "gone" that it was collected.
 */
export type Coverage = "whole" | "partly" | "gone";

/** Returns how much of some changes can be undone; undefined when there are none. */
export function coverageOf(changes: readonly Change[], blobs: Pick<Blobs, "has">): Coverage | undefined {
  if (changes.length === 0) return undefined;
  const isGone = (hash: string | undefined) => hash !== undefined && !blobs.has(hash);
  if (changes.some((change) => isGone(neededContent(change)))) return "gone";
  return changes.some(({ lost }) => lost !== undefined) ? "partly" : "whole";
}

/** Returns the hash of the content that the undo of a change needs; undefined for moves and permission changes. */
export function neededContent({ before, after, lost, moved }: Change): string | undefined {
  if (before.kind !== "file" || lost !== undefined || moved !== undefined) return undefined;
  return after.kind === "file" && after.hash === before.hash ? undefined : before.hash;
}
