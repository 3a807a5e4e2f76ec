import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { listFiles } from "../../files/list-files.ts";
import { findScope } from "../search/scope.ts";

/** What one path or pattern means: files, ordered by path, or why it means none. */
export type Named =
  | { readonly paths: readonly string[] }
  | { readonly path: string; readonly error: unknown };

export interface PatternOptions {
  /** Files that these patterns name are not meant. */
  readonly exclude?: readonly string[] | undefined;
  readonly noIgnore?: boolean | undefined;
}

/** Whether it may mean other files than one of just this name. */
export function isPattern(path: string): boolean {
  return special.test(path);
}

/** The directory that all it can mean is in; also of a file that has just this name. */
export function baseOf(pattern: string): string {
  const names = pattern.split("/");
  const first = names.findIndex((name) => special.test(name));
  return names.slice(0, first).join("/") || (pattern.startsWith("/") ? "/" : ".");
}

/** A file that has just this name comes before all that the pattern means. Leaves out hidden and ignored files. */
export async function namedBy(
  path: string,
  { exclude = [], noIgnore = false }: PatternOptions,
  context: ToolContext,
): Promise<Named> {
  if (!isPattern(path) || (await isThere(path, context))) return { paths: [path] };
  try {
    const base = baseOf(path);
    const scope = await findScope(context.environment, base);
    const rest = path.slice(base === "." && !path.startsWith("./") ? 0 : base.length).replace(/^\/+/, "");
    // Only a pattern without any slash means names at any depth.
    const glob = path.includes("/") ? `/${rest}` : rest.replace(/^!/, "\\!");
    const filter = new FileFilter({ globs: [glob, ...exclude.map((each) => `!${each}`)] });
    const wanted = { directory: scope.path, filter, hidden: false, ignoreFiles: !noIgnore };
    const { paths } = await listFiles(wanted, context);
    return paths.length === 0 ? { path, error: matchesNothing(path) } : { paths: paths.toSorted() };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { path, error };
  }
}

const special = /[*?[{]/;

async function isThere(path: string, { environment }: ToolContext): Promise<boolean> {
  return environment.info(path).then(
    () => true,
    () => false,
  );
}

function matchesNothing(pattern: string): ToolError {
  return new ToolError("not-found", `No file matches ${pattern}`, {
    hint: "Hidden and ignored files are left out; name them one by one.",
  });
}
