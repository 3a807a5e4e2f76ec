import { lstatSync, type Stats } from "node:fs";

/** Returns undefined when `act` throws. */
export function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The stats of the entry itself, without following a link; undefined when it is missing or unreadable. */
export function statsAt(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}
