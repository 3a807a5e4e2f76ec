import type { ToolContext } from "../../contract/tool.ts";
import { escapeGlob } from "../../text/glob.ts";
import { IgnoreChain } from "./ignore-chain.ts";
import type { FilesWanted } from "./list-files.ts";
import { outputOf } from "./output-of.ts";
import { hasHiddenName } from "./visibility.ts";
import { VisiblePaths } from "./visible-paths.ts";

/** Lists with ripgrep; undefined when there is none. */
export async function listWithRipgrep(
  wanted: FilesWanted,
  context: ToolContext,
): Promise<readonly string[] | undefined> {
  const { directory, filter, hidden, ignoreFiles } = wanted;
  const { isInRepository } = await IgnoreChain.at(context.environment, directory);
  const args = ["--files", "--null", "--no-config", "--color=never", "-g", "!.git"];
  // Outside of repositories ripgrep would not read what was written for git.
  if (!isInRepository) args.push("--no-require-git");
  if (hidden) args.push("--hidden");
  if (!ignoreFiles) args.push("--no-ignore");
  // A glob would show what is ignored, a type does not.
  if (filter.tails) args.push("--type", typeName);
  for (const tail of filter.tails ?? []) args.push("--type-add", `${typeName}:*${escapeGlob(tail)}`);
  // Its exit code says that some directory could not be read, or that there is no file: what is listed counts.
  const listed = await outputOf("rg", { args: [...args, "--", "."], cwd: directory || "." }, context);
  if (listed === undefined) return undefined;

  const visible = new VisiblePaths(context.environment, directory, wanted);
  const prefix = directory === "" ? "" : `${directory}/`;
  const paths: string[] = [];
  for (const found of listed.text.split("\0")) {
    const path = found.slice("./".length);
    if (path === "" || !filter.takes(path)) continue;
    // A type shows hidden names.
    const isInDoubt = !hidden && filter.tails !== undefined && hasHiddenName(path);
    if (!isInDoubt || (await visible.has(prefix + path))) paths.push(prefix + path);
  }
  return paths;
}

const typeName = "wanted";
