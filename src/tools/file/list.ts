import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import type { ListedDirectory } from "../../contract/whole-operations.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { amount, flag, string } from "../fields.ts";
import { listAll, showTree } from "./list-tree.ts";

export interface FileListData {
  /** The listed directory, "." for the workspace. */
  readonly root: ListedDirectory;
  /** The number of shown entries. */
  readonly shown: number;
  readonly limited: boolean;
}

const input = z.strictObject({
  path: string("Default: the workspace."),
  depth: amount(1, 100, "Default 2."),
  limit: amount(1, 100_000, "Default 1000."),
  exclude: z.optional(
    z
      .array(z.string().check(z.minLength(1)))
      .check(z.maxLength(100), z.describe("Patterns to exclude: *.log, build/.")),
  ),
  hidden: flag("Include dotfiles."),
  no_ignore: flag("Include ignored files."),
});

export const fileList: Tool<z.infer<typeof input>, FileListData> = {
  name: "file.list",
  description:
    "List a directory as a tree with sizes. Skips hidden and ignored files. To find files by name use search.glob.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, keep: "head" },
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run(input, { environment, signal }) {
    const tree = environment.list?.(input, signal) ?? listAll(input, { environment, signal });
    const { root, shown, isLimited } = await tree;
    return {
      data: { root, shown, limited: isLimited },
      text: showTree(root),
      continuation: isLimited
        ? `Stopped at ${counted(shown, "entry", "entries")}; list a subdirectory, or raise \`limit\`.`
        : undefined,
    };
  },
};
