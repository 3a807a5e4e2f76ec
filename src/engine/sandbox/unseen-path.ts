import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import type { Confinement } from "../../contract/confinement.ts";
import type { Environment } from "../../contract/environment.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { isSystemPath } from "./visible.ts";

/** Returns whether a path of this machine exists, and commands see it only by a rule. */
export function isUnseenPath({
  workspace,
  confinement,
}: Pick<Environment, "workspace" | "confinement">): (path: string) => boolean {
  const { readable = [], writable = [], isHidden = () => false }: Confinement = confinement ?? {};
  const seen = [workspace, ...readable, ...writable, "/proc", "/dev", "/tmp", tmpdir()];
  return (path) => {
    // Tools of the home create their files in the private one, and secrets are not to be named.
    if (isHidden(path) || liesInside(homedir(), path) || path.split("/").includes("..")) return false;
    return !isSystemPath(path) && !seen.some((directory) => liesInside(path, directory)) && existsSync(path);
  };
}
