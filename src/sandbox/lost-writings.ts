import { lstatSync } from "node:fs";
import { join, relative } from "node:path";
import { liesInside } from "../system/workspace-path.ts";

/**
 * What a command may write outside, and is not there yet, comes into being in the home that it has for itself, and goes
 * with it. To be asked when the command has ended, for each such path: tells so if that has happened, else "".
 */
export function lostWritings(
  writable: readonly string[],
  replaced: readonly { readonly source: string; readonly target: string }[],
): readonly (() => string)[] {
  return writable.flatMap((path) => {
    const place = replaced.find(({ target }) => liesInside(path, target));
    if (place === undefined || stateOf(path) !== undefined) return [];
    const instead = join(place.source, relative(place.target, path));
    let before = stateOf(instead);
    return () => {
      const now = stateOf(instead);
      const isNew = now !== undefined && now !== before;
      before = now;
      return isNew ? lost(path) : "";
    };
  });
}

function stateOf(path: string): string | undefined {
  try {
    const { ino, ctimeNs } = lstatSync(path, { bigint: true });
    return `${ino} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}

function lost(path: string): string {
  return `${path} is not there: it was written to the private home of commands, which does not stay. Make the file or directory outside first, then run the command again.`;
}
