import { existsSync, globSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { packageFolder, succeeds, unpackPackages } from "../debian-packages.ts";

const serverFolder = packageFolder("openssh");
const namesFolder = packageFolder("nss-wrapper");
const installed = "/usr/sbin/sshd";

/** A real ssh server, and the variables that it needs. */
export interface OpenSsh {
  readonly server: string;
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Whether the system says that the user has no shell, as of `nobody`, as whom CI runs the tests. Then the server needs
   * other data about the user.
   */
  readonly lacksShell: boolean;
}

/** Downloads the ssh server where it is missing, and what a user without a shell needs. */
export function fetchOpenSsh(): void {
  if (process.platform !== "linux" || !existsSync("/usr/bin/ssh")) return;
  if (process.getuid?.() === 0) return;
  if (!existsSync(installed)) unpackPackages(serverFolder, ["openssh-server", "libwrap0"], "usr/sbin/sshd");
  if (lacksShell()) unpackPackages(namesFolder, ["libnss-wrapper"], "usr/share/doc/libnss-wrapper");
}

/** Finds the parts of a real ssh server; returns why they cannot be used. */
export function findOpenSsh(): OpenSsh | string {
  if (process.platform !== "linux") return "needs Linux";
  if (!existsSync("/usr/bin/ssh")) return "needs Debian's openssh-client";
  const server = [installed, join(serverFolder, "usr/sbin/sshd")].find((path) => existsSync(path));
  // As root, the server needs the user and the folder that its package creates. Tests do not create users.
  const isComplete = process.getuid?.() !== 0 || (succeeds("id", ["sshd"]) && existsSync("/run/sshd"));
  if (server === undefined || !isComplete) return "needs Debian's openssh-server";
  const preload = "libnss_wrapper.so";
  if (lacksShell() && globSync(join(namesFolder, libraries, preload)).length === 0)
    return "needs a user with a login shell, or Debian's libnss-wrapper";
  const folders = [serverFolder, namesFolder].flatMap((folder) => globSync(join(folder, libraries)));
  return {
    ...{ server, lacksShell: lacksShell() },
    // Paths in LD_PRELOAD cannot contain spaces.
    variables: { LD_LIBRARY_PATH: folders.join(":"), ...(lacksShell() ? { LD_PRELOAD: preload } : {}) },
  };
}

const libraries = "usr/lib/*-linux-gnu";

function lacksShell(): boolean {
  return /(?:nologin|false)$/.test(userInfo().shell ?? "");
}
