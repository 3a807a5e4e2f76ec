import { lstatSync, type Stats } from "node:fs";

/** Undefined instead of an error. */
export function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Of the entry itself, a link not followed; undefined when nothing is there that this process can see. */
export function statsAt(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}
