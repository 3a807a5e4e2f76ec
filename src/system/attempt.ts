import { lstatSync, type Stats } from "node:fs";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";

/** Returns undefined when `act` throws. Rethrows when descriptors or memory have run out, because a retry may succeed. */
export function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    return undefinedUnlessExhausted(error);
  }
}

/** Returns undefined when `act` throws anything. For cleanup, and for observations that are repeated. */
export function attemptQuietly<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Returns the stats of the entry itself, without following a link; undefined when it is missing or unreadable. */
export function statsAt(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}
