import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { IgnoreFileOutside } from "../../contract/environment.ts";
import { readSmallFile } from "./files/read-file.ts";

/** Returns the ignore files above the workspace and in the user's settings that apply in the workspace. */
export function ignoreFilesOutside(workspace: string): IgnoreFileOutside[] {
  return [...filesAbove(workspace), ...globalExcludes()];
}

function filesAbove(workspace: string): IgnoreFileOutside[] {
  const found: IgnoreFileOutside[] = [];
  let isBelowRepository = true;
  let path = basename(workspace);
  for (let directory = dirname(workspace); path !== ""; directory = dirname(directory)) {
    const names = [".rgignore", ".ignore", ...(isBelowRepository ? [".gitignore" as const] : [])] as const;
    for (const name of names) {
      const text = readSmallFile(join(directory, name))?.toString();
      if (text !== undefined) found.push({ name, workspace: path, text });
    }
    if (isBelowRepository && existsSync(join(directory, ".git"))) {
      isBelowRepository = false;
      const text = readSmallFile(join(directory, ".git/info/exclude"))?.toString() ?? "";
      found.push({ name: "exclude", workspace: path, text });
    }
    const name = basename(directory);
    path = name === "" ? "" : `${name}/${path}`;
  }
  return found;
}

/** Returns the ignore file that git's settings name, or the default one. As in ripgrep, it applies to the workspace. */
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
