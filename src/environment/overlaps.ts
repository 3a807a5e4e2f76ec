import { isNamedTwice, liesInChangedFile } from "../system/failures.ts";

/** Refuses changes of the same file, and of a file in what is to be a file itself. */
export function refuseOverlaps(
  changes: readonly { readonly path: string; readonly realPath: string }[],
): void {
  const given = new Map<string, string>();
  for (const { path, realPath } of changes) {
    const other = given.get(realPath);
    if (other !== undefined) throw isNamedTwice(other, path);
    given.set(realPath, path);
  }
  for (const { path, realPath } of changes) {
    for (let cut = realPath.lastIndexOf("/"); cut > 0; cut = realPath.lastIndexOf("/", cut - 1)) {
      const file = given.get(realPath.slice(0, cut));
      if (file !== undefined) throw liesInChangedFile(path, file);
    }
  }
}
