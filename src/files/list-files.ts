import type { FileFilter } from "./file-filter.ts";
import { listWithGit } from "./list-with-git.ts";
import { listWithRipgrep } from "./list-with-ripgrep.ts";
import type { Looking } from "./looking.ts";
import type { Visibility } from "./visibility.ts";
import { walkFiles } from "./walk.ts";

export type FileSource = "walk" | "git" | "ripgrep";

/** Which files below which directory. */
export interface FilesWanted extends Visibility {
  /** Relative to the workspace and free of links, "" for the workspace itself. */
  readonly directory: string;
  readonly filter: FileFilter;
}

/** So many are listed in process first: that costs less than starting a program. */
const budget = 120;

/** The paths of the files wanted, by the quickest way that gives the same answer as a walk. */
export async function listFiles(
  wanted: FilesWanted,
  context: Looking,
): Promise<{ readonly paths: readonly string[]; readonly source: FileSource }> {
  const { directory, filter, hidden, ignoreFiles } = wanted;
  const cut = directory === "" ? 0 : directory.length + 1;
  const options = { hidden, ignoreFiles, signal: context.signal };
  const enters = (path: string) => filter.enters(path.slice(cut));
  const met: string[] = [];
  for await (const { path } of walkFiles(context.environment, directory, { ...options, enters })) {
    if (met.length === budget) {
      const byGit = await listWithGit(wanted, context);
      if (byGit) return { paths: byGit, source: "git" };
      const byRipgrep = await listWithRipgrep(wanted, context);
      if (byRipgrep) return { paths: byRipgrep, source: "ripgrep" };
    }
    met.push(path);
  }
  return { paths: met.filter((path) => filter.takes(path.slice(cut))), source: "walk" };
}
