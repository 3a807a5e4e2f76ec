import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { IgnoreFileOutside } from "../../contract/environment.ts";
import { readSmallFile } from "./files/read-file.ts";

/** The ignore files that apply in the workspace from the directories above it and from the user's settings. */
export function ignoreFilesOutside(workspace: string): IgnoreFileOutside[] {
  return [...filesAbove(workspace), ...globalExcludes()];
}

function filesAbove(workspace: string): IgnoreFileOutside[] {
  const found: IgnoreFileOutside[] = [];
  let isBelowRepository = true;
  let path = basename(workspace);
  for (let directory = dirname(workspace); path !== ""; directory = dirname(directory)) {
    const take = (name: IgnoreFileOutside["name"], file: string) => {
      const text = readSmallFile(join(directory, file))?.toString();
      if (text !== undefined) found.push({ name, workspace: path, text });
    };
    take(".rgignore", ".rgignore");
    take(".ignore", ".ignore");
    if (isBelowRepository) {
      take(".gitignore", ".gitignore");
      isBelowRepository = !existsSync(join(directory, ".git"));
      if (!isBelowRepository)
        found.push({
          name: "exclude",
          workspace: path,
          text: readSmallFile(join(directory, ".git/info/exclude"))?.toString() ?? "",
        });
    }
    const name = basename(directory);
    path = name === "" ? "" : `${name}/${path}`;
  }
  return found;
}

/**
 * Found as ripgrep does: the file that git's settings name, else the default one. Its patterns are anchored at the
 * workspace.
 */
function globalExcludes(): IgnoreFileOutside[] {
  const settings = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const named = excludesFileIn(join(homedir(), ".gitconfig")) ?? excludesFileIn(join(settings, "git/config"));
  const text = readSmallFile(named ?? join(settings, "git/ignore"))?.toString();
  return text === undefined ? [] : [{ name: "global", workspace: "", text }];
}

function excludesFileIn(settings: string): string | undefined {
  const found = /^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$/im.exec(
    readSmallFile(settings)?.toString() ?? "",
  );
  return found?.[1]?.replace(/^~(?=\/|$)/, homedir());
}
