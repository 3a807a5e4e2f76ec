import { escapeGlob } from "../lib/glob/glob.ts";
import { IgnoreChain } from "./ignore-chain.ts";
import type { FilesWanted } from "./list-files.ts";
import type { Looking } from "./looking.ts";
import { outputOf } from "./output-of.ts";
import { visibleAmong } from "./visible-among.ts";
import { VisiblePaths } from "./visible-paths.ts";

/**
 * Lists with git, which knows the files of a repository already. Undefined where its answer would differ from a walk's:
 * unless the workspace is a repository and the directory is not ignored in it, with rules that git does not read, with
 * repositories inside the repository.
 */
export async function listWithGit(
  { directory, filter, ...visibility }: FilesWanted,
  context: Looking,
): Promise<readonly string[] | undefined> {
  const { environment } = context;
  if (!visibility.ignoreFiles || !(await isRepository(context))) return undefined;
  const chain = await IgnoreChain.at(environment, directory);
  if (chain.hasForeignRules) return undefined;
  const isShown =
    directory === "" || (await new VisiblePaths(environment, "", visibility).has(directory, "directory"));
  if (!isShown) return undefined;

  const tails = filter.tails ? [...filter.tails, ...telling] : [""];
  const patterns = tails.map((tail) => `*${escapeGlob(tail)}`);
  const listing = ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate"];
  const args = [...guarded(environment.workspace), ...listing, "--", ...patterns];
  const listed = await outputOf("git", { args, cwd: directory || ".", env }, context);
  if (listed?.code !== 0) return undefined;

  const prefix = directory === "" ? "" : `${directory}/`;
  const withRules = new Set<string>();
  const taken: string[] = [];
  for (const path of listed.text.split("\0")) {
    // A repository of its own.
    if (path.endsWith("/")) return undefined;
    const tellingName = /(?<=^|\/)\.(?:gitignore|ignore|rgignore|gitmodules)$/.exec(path)?.[0];
    if (tellingName === ".gitignore") withRules.add((prefix + path).slice(0, -"/.gitignore".length));
    else if (tellingName !== undefined) return undefined;
    if (path !== "" && filter.takes(path)) taken.push(prefix + path);
  }
  // Git lists hidden files, and what was committed although an ignore file names it; a walk would not.
  return visibleAmong(taken, { environment, directory, chain, visibility, withRules });
}

/** The repository's own settings must neither run anything, nor lead elsewhere, nor change the answer. */
function guarded(workspace: string): string[] {
  return [...settings.flatMap((setting) => ["-c", setting]), "--no-pager", `--work-tree=${workspace}`];
}

const settings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.ignoreCase=false",
  // The user's own excludes are in the chain; here the repository's would take their place.
  "core.excludesFile=/dev/null",
  "protocol.allow=never",
];

/** A partial clone fetches what it lacks with whatever program its settings name; no protocol has the name "none". */
const env = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** What has to be seen whatever is wanted: files with rules, submodules, repositories. */
const telling = [".gitignore", ".ignore", ".rgignore", ".gitmodules", "/"];

async function isRepository({ environment }: Looking): Promise<boolean> {
  return environment.info(".git", { followLinks: false }).then(
    () => true,
    () => false,
  );
}
