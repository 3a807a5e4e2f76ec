import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { realPathOf } from "../../sandbox/real-paths.ts";
import type { TreeEntry } from "../../sandbox/tree-scan.ts";
import { attempt, statsAt } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { toolChainsIn } from "./tool-chains.ts";

/** A path that commands see, and the real path of what they see there. */
export interface Shown {
  readonly source: string;
  readonly target: string;
}

/**
 * The part of the machine that commands see, read-only: one list for every sandbox. Apart from it they see the workspace, what
 * rules grant, and a private home and temporary directory in place of the user's.
 */
export interface Visible {
  /** The system's directories, and single files that it names by links. Real paths. */
  readonly system: readonly string[];
  /** Links of the system to directories, such as `/bin`. */
  readonly links: readonly { readonly path: string; readonly to: string }[];
  /** Toolchains and git settings, in the home and on the PATH. */
  readonly toolChains: readonly Shown[];
  /** Secrets of the machine that this user can read: as root, or in a cluster as any user. */
  readonly secrets: readonly TreeEntry[];
  /** The real paths of the home directories: first that of HOME, then that of the user database. */
  readonly homes: readonly string[];
  readonly temporaryDirectories: readonly string[];
  /** Set when the whole machine is visible, except homes, secrets and temporary directories. */
  readonly isWhole: boolean;
}

interface VisibleOptions {
  readonly variables?: NodeJS.ProcessEnv;
  /** Further paths, for programs that expect them; "/" shows the whole machine. */
  readonly also?: readonly string[] | undefined;
  /** The files that the user's git settings name. */
  readonly gitFiles?: readonly string[];
}

export function findVisible({ variables = process.env, also = [], gitFiles = [] }: VisibleOptions): Visible {
  // In a container, the user id may have no name.
  const homes = directoriesAmong([variables.HOME ?? homedir(), attempt(() => userInfo().homedir) ?? ""]);
  const temporaryDirectories = directoriesAmong(["/tmp", "/var/tmp", tmpdir()]).filter(
    (path) => !homes.includes(path),
  );
  const system = [...systemDirectories(), ...also.filter((path) => path !== "/" && existsSync(path))];
  // A toolchain must not show the whole home or all temporary files.
  const kept = [...homes, ...temporaryDirectories];
  const isAllowed = (path: string) => !kept.some((directory) => liesInside(directory, path));
  const wanted = ["/", ...homes].flatMap((top) => toolChainsIn(top, variables));
  return {
    system,
    links: links(),
    toolChains: shown([...wanted, ...gitFiles], system).filter(({ source }) => isAllowed(source)),
    secrets: systemSecrets(),
    homes,
    temporaryDirectories,
    isWhole: also.includes("/"),
  };
}

/** Shows each path, and also the real path where it is a link. */
function shown(paths: readonly string[], system: readonly string[]): readonly Shown[] {
  const found = new Map<string, Shown>();
  const isInside = (path: string, others: readonly string[]) =>
    others.some((other) => other !== path && liesInside(path, other));
  for (const path of paths.filter((one) => !isInside(one, paths) && !usual.includes(one))) {
    const source = realPathOf(path);
    if (source === undefined) continue;
    for (const target of [path, source])
      if (!system.some((directory) => liesInside(target, directory))) found.set(target, { source, target });
  }
  return [...found.values()];
}

/** Returns the directories among these paths, each once, without the root directory, which cannot be replaced. */
function directoriesAmong(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => attempt(() => realpathSync(path)) ?? []);
  return [...new Set(found)].filter(
    (path) => path !== "/" && attempt(() => statSync(path).isDirectory()) === true,
  );
}

let system: readonly string[] | undefined;

/** Returns the visible directories and files of the system, by their real paths. */
function systemDirectories(): readonly string[] {
  if (system === undefined) {
    const directories = [...new Set(usual.flatMap((path) => realPathOf(path) ?? []))];
    const isShown = (path: string) => directories.some((directory) => liesInside(path, directory));
    // On many systems these are links to `/run` or `/mnt`.
    const files = settings.flatMap((path) => realPathOf(path) ?? []).filter((path) => !isShown(path));
    const outermost = directories.filter(
      (path) => !directories.some((other) => other !== path && liesInside(path, other)),
    );
    system = [...outermost, ...files];
  }
  return system;
}

/** Whether commands see a path without a rule. */
export function isSystemPath(path: string): boolean {
  return [...systemDirectories(), ...usual].some((directory) => liesInside(path, directory));
}

const settings = ["resolv.conf", "hosts", "hostname", "localtime", "machine-id"].map(
  (name) => `/etc/${name}`,
);

const usual = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys"],
  ...["/nix", "/gnu", "/snap", "/cvmfs", "/home/linuxbrew/.linuxbrew"],
  ...["/run/systemd/resolve", "/run/resolvconf", "/run/current-system", "/run/opengl-driver"],
  ...["dpkg", "apt", "rpm", "pacman", "alternatives", "ca-certificates", "gems", "texmf"].map(
    (name) => `/var/lib/${name}`,
  ),
  "/var/cache/fontconfig",
];

function links(): Visible["links"] {
  return [...usual, "/var/run"].flatMap((path) => {
    const to = attempt(() => readlinkSync(path));
    return to === undefined ? [] : [{ path, to }];
  });
}

function systemSecrets(): readonly TreeEntry[] {
  const among = (directory: string, pattern: RegExp) =>
    namesIfReadable(directory)
      .filter((name) => pattern.test(name))
      .map((name) => join(directory, name));
  const paths = [
    ...among("/etc", /^(?:g?shadow-?|sudoers(?:\.d)?|.*\.keytab)$/),
    ...among("/etc/ssh", /_key$/),
    ...["/etc/ssl/private", "/run/secrets", "/etc/NetworkManager/system-connections"],
  ];
  return paths
    .filter((path) => isReadable(path) && realPathOf(path) === path)
    .map((path) => ({ path, kind: statsAt(path)?.isDirectory() ? "directory" : "file" }));
}

function isReadable(path: string): boolean {
  return attempt(() => accessSync(path, constants.R_OK) === undefined) === true;
}

/** Directories of other users, which are hidden where the whole machine is visible. */
export function directoriesOfOthers({ homes }: Pick<Visible, "homes">): readonly string[] {
  // In a directory that the user may not enter, mounts are impossible and not needed.
  return directoriesAmong(["/home", "/root", "/run/user"]).filter(
    (path) =>
      !homes.includes(path) &&
      attempt(() => accessSync(path, constants.R_OK | constants.X_OK) === undefined) === true,
  );
}

/**
 * Describes a directory without hidden entries, for sandboxes without exceptions: each entry next to a hidden one is
 * named, so new entries there cannot be read.
 */
export function partsOf(
  path: string,
  hidden: readonly string[],
): { readonly readable: readonly string[]; readonly listable: readonly string[] } {
  if (hidden.some((one) => liesInside(path, one))) return { readable: [], listable: [] };
  const below = hidden.filter((one) => liesInside(one, path));
  if (below.length === 0) return { readable: [path], listable: [] };
  const parts = namesIfReadable(path).map((name) => partsOf(join(path, name), below));
  return {
    readable: parts.flatMap(({ readable }) => readable),
    listable: [path, ...parts.flatMap(({ listable }) => listable)],
  };
}
