import type { OwnDirectory } from "../contract/environment.ts";

/**
 * A repository is told by git's own directory and by settings beside it, which git would read again after we have judged
 * them: a command that is still running may have exchanged them by then. So git is given a directory of ours in the place of
 * what it calls the common one, with the settings as they were judged; all else in it leads to the repository.
 */
export function judgedDirectory(commonDirectory: string, settings: string): OwnDirectory {
  return {
    variable: "GIT_COMMON_DIR",
    files: { config: settings },
    links: Object.fromEntries(shared.map((name) => [name, `${commonDirectory}/${name}`])),
  };
}

/** What git looks for in the common directory. No hooks. */
const shared = [
  "HEAD",
  "info",
  "logs",
  "modules",
  "objects",
  "packed-refs",
  "refs",
  "reftable",
  "shallow",
  "worktrees",
];

/**
 * The repository's own settings as a file of settings. What `git config --list -z --show-scope` has printed. Without filters,
 * all of which are held elsewhere, and without what would lead to further files.
 */
export function settingsText(listing: string): string {
  const fields = listing.split("\0");
  let text = "";
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (!own.has(fields[at]!)) continue;
    const [, section = "", name, key = "", value] =
      /^([^.\n]*)\.(?:([^\n]*)\.)?([^.\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    if (section === "" || left.has(section) || (section === "extensions" && key === "worktreeconfig"))
      continue;
    const head = name === undefined ? section : `${section} "${quoted(name)}"`;
    text += `[${head}]\n\t${key}${value === undefined ? "" : ` = "${escaped(value)}"`}\n`;
  }
  return text;
}

const own = new Set(["local", "worktree"]);
const left = new Set(["filter", "include", "includeif"]);

function quoted(name: string): string {
  return name.replace(/["\\]/g, "\\$&");
}

function escaped(value: string): string {
  return quoted(value).replaceAll("\n", "\\n");
}
