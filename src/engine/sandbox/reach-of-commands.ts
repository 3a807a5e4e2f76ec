import { existsSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment } from "../../contract/environment.ts";
import type { ConfinedRun, SurroundingRepository } from "../../lib/explain-confined-failure.ts";
import { attempt } from "../../system/attempt.ts";
import { repositoryRoot } from "../../system/directories.ts";
import { withheldVariables } from "../../system/environment-variables.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { isSystemPath } from "./visible.ts";

type Place = Pick<Environment, "workspace" | "confinement" | "keepsShells">;

/** Returns what commands on this machine do not reach without a rule; nothing for commands elsewhere. */
export function reachOfCommands(
  environment: Place,
  cwd = ".",
): Pick<ConfinedRun, "isUnseen" | "folderToWrite" | "isOfOther" | "withheld" | "around"> {
  if (environment.keepsShells) return {};
  return {
    isUnseen: isUnseenPath(environment),
    folderToWrite: folderToWrite(environment),
    isOfOther: isOfOtherUser(resolve(environment.workspace, cwd)),
    around: () => repositoryAround(environment, resolve(environment.workspace, cwd)),
    withheld: withheldVariables(process.env, environment.confinement?.variables),
  };
}

/** Returns the repository of which the workspace is a part, unless commands see it, or the home is in it. */
function repositoryAround(
  { workspace, confinement }: Place,
  directory: string,
): SurroundingRepository | undefined {
  const found = repositoryRoot(workspace);
  if (found === workspace || liesInside(homedir(), found)) return undefined;
  const { readable = [], writable = [], isHidden = () => false }: Confinement = confinement ?? {};
  if ([...readable, ...writable].some((path) => liesInside(found, path))) return undefined;
  const exists = (path: string) =>
    liesInside(path, found) && !liesInside(path, workspace) && !isHidden(path) && existsSync(path);
  return {
    directory: found,
    has: (name) => {
      if (name.startsWith("../")) return exists(resolve(directory, name));
      if (!/^[@\w]/.test(name)) return false;
      const levels = relative(found, workspace).split("/");
      const folders = levels.map((_name, index) => join(found, ...levels.slice(0, index)));
      // Of `a.b`, Python looks for `a`; of `@a/b/c`, Node.js for the package `@a/b`.
      const [part = name] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
      const places = [part, `node_modules/${part}`, ...programFolders.map((folder) => `${folder}/${part}`)];
      const [module] = part.split(".");
      const modules = module === "" ? [] : [`${module}.py`, `${module}/__init__.py`];
      return folders.some((folder) => [...places, ...modules].some((place) => exists(join(folder, place))));
    },
  };
}

const programFolders = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];

/** Returns whether a path of this machine exists, and commands see it only by a rule. */
function isUnseenPath({ workspace, confinement }: Place): (path: string) => boolean {
  const { readable = [], writable = [], isHidden = () => false }: Confinement = confinement ?? {};
  const seen = [workspace, ...readable, ...writable, "/proc", "/dev", "/tmp", tmpdir()];
  return (path) => {
    // Tools of the home create their files in the private one, and secrets are not to be named.
    if (isHidden(path) || liesInside(homedir(), path) || path.split("/").includes("..")) return false;
    return !isSystemPath(path) && !seen.some((directory) => liesInside(path, directory)) && existsSync(path);
  };
}

/**
 * Returns the folder that a rule must make writable so that commands can write a path outside the workspace: in the home
 * as `~/.cargo/registry`, so that a rule for a cache does not also open the programs next to it.
 */
function folderToWrite({ workspace, confinement }: Place): (path: string) => string | undefined {
  const { writable = [], isHidden = () => false }: Confinement = confinement ?? {};
  const others = [workspace, ...writable, "/proc", "/dev", "/sys"];
  return (path) => {
    if (isHidden(path) || path.split("/").includes("..")) return undefined;
    if (others.some((directory) => liesInside(path, directory))) return undefined;
    const home = homedir();
    if (!liesInside(path, home)) return dirname(path);
    const names = relative(home, path).split("/").filter(Boolean);
    return names.length === 0 ? undefined : `~/${names.slice(0, 2).join("/")}`;
  };
}

/** Returns whether an entry belongs to another user, for root, who has no rights over it inside. */
function isOfOtherUser(directory: string): ((path: string) => boolean) | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return (path) => {
    const owner = attempt(() => statSync(resolve(directory, path)).uid);
    return owner !== undefined && owner !== 0;
  };
}
