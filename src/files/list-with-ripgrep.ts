import { escapeGlob } from "../lib/glob/glob.ts";
import { IgnoreChain } from "./ignore-chain.ts";
import type { FilesWanted } from "./list-files.ts";
import type { Looking } from "./looking.ts";
import { outputOf } from "./output-of.ts";
import { hasHiddenName, nameOf, parentOf } from "./visibility.ts";
import { visibleAmong } from "./visible-among.ts";

/** Lists with ripgrep; undefined when there is none. */
export async function listWithRipgrep(
  wanted: FilesWanted,
  context: Looking,
): Promise<readonly string[] | undefined> {
  const { directory, filter, hidden, ignoreFiles } = wanted;
  const { environment } = context;
  const chain = await IgnoreChain.at(environment, directory);
  const args = ["--files", "--null", "--no-config", "--color=never"];
  // Outside of repositories ripgrep would not read what was written for git.
  if (!chain.isInRepository) args.push("--no-require-git");
  if (hidden) args.push("--hidden");
  if (!ignoreFiles) args.push("--no-ignore");
  const tails = filter.tails?.map((tail) => `*${escapeGlob(tail)}`);
  const globs = tails !== undefined && ignoreFiles ? [...tails, ...telling] : [...(tails ?? []), "!.git"];
  args.push(...globs.flatMap((glob) => ["-g", glob]));
  // Its exit code says that some directory could not be read, or that there is no file: what is listed counts.
  const listed = await outputOf("rg", { args: [...args, "--", "."], cwd: directory || "." }, context);
  if (listed === undefined) return undefined;

  const prefix = directory === "" ? "" : `${directory}/`;
  const withRules = new Set<string>();
  const taken: string[] = [];
  for (const found of listed.text.split("\0")) {
    const path = found.slice("./".length);
    if (path === "") continue;
    const place = placeOfRules(path);
    if (place !== undefined) withRules.add(place === "" ? directory : prefix + place);
    if (filter.takes(path)) taken.push(prefix + path);
  }
  if (tails === undefined) return taken;
  // To ripgrep a glob is more than a filter: it lists what one names though it is hidden, or ignored.
  return ignoreFiles
    ? visibleAmong(taken, { environment, directory, chain, visibility: wanted, withRules })
    : taken.filter((path) => hidden || !hasHiddenName(path.slice(prefix.length)));
}

/** What has to be seen whatever is wanted: files with rules, and repositories, of which no more is looked at. */
const telling = [".gitignore", ".ignore", ".rgignore", ".git", "HEAD", "!**/.git/*/"];

/** The directory that this file says something about. Both as seen from where the search starts, so never above that. */
function placeOfRules(path: string): string | undefined {
  const name = nameOf(path);
  if (name === "HEAD" && nameOf(parentOf(path)) === ".git") return parentOf(parentOf(path));
  return /^\.(?:git|(?:git|rg)?ignore)$/.test(name) ? parentOf(path) : undefined;
}
