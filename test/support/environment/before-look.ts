import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Runs an act before the first `lstat` of its path, until the returned function is called. */
export function beforeLook(acts: Readonly<Record<string, () => void>>): () => void {
  const { lstatSync } = fs;
  const left = new Map(Object.entries(acts));
  const put = (look: unknown) => {
    Object.assign(fs, { lstatSync: look });
    syncBuiltinESMExports();
  };
  put((path: string, ...rest: []) => {
    const act = left.get(path);
    left.delete(path);
    act?.();
    return lstatSync(path, ...rest);
  });
  return () => put(lstatSync);
}
