import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { FileFilter } from "../../files/file-filter.ts";
import { type FileSource, listFiles } from "../../files/list-files.ts";
import { type LeftOut, leftOutBy } from "../../files/visible-paths.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";
import { amount, flag, string } from "../fields.ts";
import { findScope } from "./scope.ts";

export interface GlobData {
  /** The found files in the requested order, at most `limit`. Paths are relative to the workspace. */
  readonly files: readonly FoundFile[];
  readonly total: number;
  readonly limited: boolean;
  /** The kinds of files that were not searched. Set when nothing was found. */
  readonly leftOut?: LeftOut | undefined;
  /** The program that listed the files. The answer does not depend on it. */
  readonly source: FileSource;
}

interface FoundFile {
  readonly path: string;
  readonly modifiedMs: number;
}

const input = z.strictObject({
  pattern: z.string().check(z.minLength(1), z.describe("* ? [a-z] {a,b} **")),
  path: string("Default: the workspace."),
  ignore_case: z.optional(z.boolean()),
  sort: z.optional(z.enum(["newest", "path"]).check(z.describe("Default newest."))),
  limit: amount(1, 100_000, "Default 500."),
  hidden: flag("Include dotfiles."),
  no_ignore: flag("Include ignored files."),
});

export type GlobInput = z.infer<typeof input>;

export const searchGlob: Tool<GlobInput, GlobData> = {
  name: "search.glob",
  description:
    'Find files by name, newest first: "*.ts" at any depth, "src/**/*.test.ts". Skips hidden and ignored files. For text in files use search.grep.',
  risk: "read",
  input,
  limits: { maxChars: 20_000, maxLines: 500, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(
    { pattern, path = ".", sort = "newest", limit = 500, no_ignore = false, ignore_case, ...input },
    context,
  ) {
    const filter = new FileFilter({ globs: [pattern], ignoreCase: ignore_case });
    const { hidden = filter.namesHidden } = input;
    const scope = await findScope(context.environment, path);
    if (scope.kind === "file") {
      throw new ToolError("unsupported", `${path} is not a directory`, {
        hint: "Give the directory that contains it.",
      });
    }
    const wanted = { directory: scope.path, filter, hidden, ignoreFiles: !no_ignore };
    const { paths, source } = await listFiles(wanted, context);
    const times = await context.environment.modifiedTimes(paths, context.signal);
    // An entry that is missing or not a regular file has no time.
    const found = paths.flatMap((found, index) => {
      const modifiedMs = times[index];
      return modifiedMs === undefined ? [] : [{ path: found, modifiedMs }];
    });
    const files = found.sort(sort === "newest" ? byTime : byPath).slice(0, limit);
    const limited = files.length < found.length;
    const leftOut = found.length === 0 ? leftOutBy(wanted) : undefined;
    return {
      data: { files, total: found.length, limited, leftOut, source },
      text:
        leftOut === undefined
          ? files.map((file) => showPath(file.path)).join("\n")
          : describeNothing(pattern, path, leftOut),
      continuation: limited
        ? `${files.length} of ${counted(found.length, "file")} shown; narrow the pattern, or raise \`limit\`.`
        : undefined,
    };
  },
};

function byTime(one: FoundFile, other: FoundFile): number {
  return other.modifiedMs - one.modifiedMs || byPath(one, other);
}

function byPath(one: FoundFile, other: FoundFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

function describeNothing(pattern: string, path: string, leftOut: LeftOut): string {
  const nothing = `No file in ${path === "." ? "the workspace" : path} matches ${pattern}.`;
  if (leftOut.length === 0) return nothing;
  const flags = { hidden: "hidden: true", ignored: "no_ignore: true" };
  const set = leftOut.map((kind) => flags[kind]).join(", ");
  return `${nothing} Files that are ${leftOut.join(" or ")} were skipped; to include them set ${set}.`;
}
