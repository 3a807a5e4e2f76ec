import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import type { TreeEntry } from "../tree-scan.ts";

/** Paths of this machine that need protection. */
export interface MachinePaths {
  /** Real paths. The first is the one that HOME names. */
  readonly homes: readonly string[];
  readonly temporaryDirectories: readonly string[];
  /** Homes and runtime directories of other users. */
  readonly ofOthers: readonly string[];
  readonly kernelSettings: readonly string[];
  readonly secrets: readonly TreeEntry[];
}

export function findMachinePaths(variables: NodeJS.ProcessEnv = process.env): MachinePaths {
  // A user id may have no name, as in containers.
  const homes = real([variables.HOME ?? homedir(), attempt(() => userInfo().homedir) ?? ""]);
  return {
    homes,
    temporaryDirectories: real(["/tmp", "/var/tmp", tmpdir()]).filter((path) => !homes.includes(path)),
    // Below a directory that the user may not enter, mounts are impossible and not needed.
    ofOthers: real(["/home", "/root", "/run/user"]).filter(
      (path) => !homes.includes(path) && isAllowed(path, constants.R_OK | constants.X_OK),
    ),
    kernelSettings: process.getuid?.() === 0 ? settingsOfRoot.filter((path) => existsSync(path)) : [],
    secrets: secretsOfMachine(),
  };
}

// Bubblewrap does not protect these: root can write them without any capability.
const settingsOfRoot = ["/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/scsi"];

/** The directories among these paths, each once. The root directory cannot be replaced. */
function real(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => attempt(() => realpathSync(path)) ?? []);
  return [...new Set(found)].filter(
    (path) => path !== "/" && attempt(() => statSync(path).isDirectory()) === true,
  );
}

/** Files that root could read, and in a cluster every user. */
function secretsOfMachine(): readonly TreeEntry[] {
  const hostKeys = namesIfReadable("/etc/ssh").filter((name) => /^ssh_host_.*_key$/.test(name));
  const files = [
    ...["shadow", "shadow-", "gshadow", "gshadow-", "krb5.keytab"].map((name) => `/etc/${name}`),
    ...hostKeys.map((name) => `/etc/ssh/${name}`),
  ];
  const directories = ["/etc/ssl/private", "/run/secrets", "/etc/NetworkManager/system-connections"];
  return [
    ...files.map((path): TreeEntry => ({ path, kind: "file" })),
    ...directories.map((path): TreeEntry => ({ path, kind: "directory" })),
  ].filter(({ path }) => isAllowed(path, constants.R_OK) && realpathSync(path) === path);
}

function isAllowed(path: string, mode: number): boolean {
  return attempt(() => accessSync(path, mode) === undefined) === true;
}
