import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { namesIfReadable } from "../../system/names-in.ts";
import type { TreeEntry } from "../tree-scan.ts";

/** What a sandbox must know of this machine. */
export interface MachinePaths {
  /** Real; the first is the one that HOME names. */
  readonly homes: readonly string[];
  /** Real. */
  readonly temporaryDirectories: readonly string[];
  /** Where other people's things are. */
  readonly ofOthers: readonly string[];
  readonly kernelSettings: readonly string[];
  readonly secrets: readonly TreeEntry[];
}

export function findMachinePaths(variables: NodeJS.ProcessEnv = process.env): MachinePaths {
  const homes = real([variables.HOME ?? homedir(), ownHome()]);
  return {
    homes,
    temporaryDirectories: real(["/tmp", "/var/tmp", tmpdir()]).filter((path) => !homes.includes(path)),
    ofOthers: real(["/home", "/root", "/run/user"]).filter((path) => !homes.includes(path) && canList(path)),
    kernelSettings: process.getuid?.() === 0 ? settingsOfRoot.filter((path) => existsSync(path)) : [],
    secrets: secretsOfMachine(),
  };
}

// Bubblewrap leaves them as the kernel has them: root writes them without any capability.
const settingsOfRoot = ["/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/scsi"];

function ownHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A number without a name, as in containers.
    return "";
  }
}

/** Those that are directories, each once; nothing can stand in place of the whole disk. */
function real(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    try {
      const target = realpathSync(path);
      return target !== "/" && statSync(target).isDirectory() ? [target] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(found)];
}

/** Below what a user may not enter no mount can be made, and need not. */
function canList(path: string): boolean {
  return isAllowed(path, constants.R_OK | constants.X_OK);
}

/** What root could read, and what every user can in a cluster. */
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
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
