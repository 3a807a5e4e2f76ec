import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { attempt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import type { TreeEntry } from "../tree-scan.ts";

/** Paths of this machine that need protection. */
export interface MachinePaths {
  /** The real paths of the home directories: first that of HOME, then that of the user database. */
  readonly homes: readonly string[];
  readonly temporaryDirectories: readonly string[];
  /** The parents of homes and runtime directories of other users. */
  readonly ofOthers: readonly string[];
  readonly kernelSettings: readonly string[];
  readonly secrets: readonly TreeEntry[];
}

export function findMachinePaths(variables: NodeJS.ProcessEnv = process.env): MachinePaths {
  // In a container, the user id may have no name.
  const homes = real([variables.HOME ?? homedir(), attempt(() => userInfo().homedir) ?? ""]);
  return {
    homes,
    temporaryDirectories: real(["/tmp", "/var/tmp", tmpdir()]).filter((path) => !homes.includes(path)),
    // In a directory that the user may not enter, mounts are impossible and not needed.
    ofOthers: real(["/home", "/root", "/run/user"]).filter(
      (path) => !homes.includes(path) && isAllowed(path, constants.R_OK | constants.X_OK),
    ),
    kernelSettings: process.getuid?.() === 0 ? settingsOfRoot.filter((path) => existsSync(path)) : [],
    secrets: secretsOfMachine(),
  };
}

// Bubblewrap does not protect these paths, which root can write without any capability.
const settingsOfRoot = ["/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/scsi"];

/** Returns the directories among these paths, each once, without the root directory, which cannot be replaced. */
function real(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => attempt(() => realpathSync(path)) ?? []);
  return [...new Set(found)].filter(
    (path) => path !== "/" && attempt(() => statSync(path).isDirectory()) === true,
  );
}

/** Returns the secrets of the machine that this user can read: as root, or in a cluster as any user. */
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
