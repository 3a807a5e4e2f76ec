import { existsSync, lstatSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mayBePublicKeys } from "../../lib/public-keys.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { liesInside } from "../../system/workspace-path.ts";
import { realPathOf } from "../real-paths.ts";
import type { Launch } from "../sandbox.ts";
import { toolChainsIn } from "../tool-chains.ts";

/** A ruleset in the kernel's format, for one version (ABI) of Landlock. */
export interface LandlockRules {
  /** The size of `struct landlock_ruleset_attr` in that version. */
  readonly attributeBytes: number;
  readonly handledFiles: number;
  readonly handledNetwork: number;
  readonly scoped: number;
  readonly paths: readonly { readonly rights: number; readonly path: string }[];
  /** The rights for the terminal that the launcher opens for the program. */
  readonly deviceRights: number;
  readonly ports: readonly { readonly rights: number; readonly port: number }[];
}

interface LandlockGrants {
  /** Files, and directories with all their contents. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Paths that can be read, written and used with ioctl. No entry can be created or removed in them. */
  readonly devices: readonly string[];
  /** Directories whose entries can be read and written by name, but not listed. */
  readonly openable: readonly string[];
  /** Directories whose entries can be listed, but not read. */
  readonly listable: readonly string[];
  readonly connectPorts: readonly number[];
  readonly mayListen: boolean;
}

/** Returns rules that allow the grants and deny all other access, as far as this version of Landlock can. */
export function landlockRules(version: number, grants: LandlockGrants): LandlockRules {
  const handledFiles =
    rights.files & ~(version < 2 ? rights.refer : 0) & ~(version < 3 ? rights.truncate : 0);
  const known = version < 5 ? handledFiles & ~rights.askDevice : handledFiles;
  const path = (granted: number) => (path: string) => ({ rights: granted & known, path });
  const knowsPorts = version >= 4;
  return {
    attributeBytes: version >= 6 ? 24 : knowsPorts ? 16 : 8,
    handledFiles: known,
    handledNetwork: knowsPorts ? (grants.mayListen ? rights.connect : rights.connect | rights.bind) : 0,
    scoped: version >= 6 ? rights.abstractSockets | rights.signals : 0,
    paths: [
      ...grants.readable.map(path(rights.read)),
      ...grants.writable.map(path(rights.read | rights.write)),
      ...grants.devices.map(path(rights.device)),
      ...grants.openable.map(path(rights.open)),
      ...grants.listable.map(path(rights.list)),
    ],
    deviceRights: rights.device & known,
    ports: knowsPorts ? grants.connectPorts.map((port) => ({ rights: rights.connect, port })) : [],
  };
}

const bit = (number: number) => 1 << number;

/** The bits of <linux/landlock.h>. No command may create device files, so bits 6 and 11 are in no grant. */
const rights = {
  files: bit(16) - 1,
  list: bit(3),
  open: bit(1) | bit(2) | bit(14),
  read: bit(0) | bit(2) | bit(3),
  write: bit(1) | bit(4) | bit(5) | bit(7) | bit(8) | bit(9) | bit(10) | bit(12) | bit(13) | bit(14),
  device: bit(1) | bit(2) | bit(3) | bit(14) | bit(15),
  refer: bit(13),
  truncate: bit(14),
  askDevice: bit(15),
  bind: bit(0),
  connect: bit(1),
  abstractSockets: bit(0),
  signals: bit(1),
};

/** Paths that are the same for all commands of a session. */
interface SessionPaths {
  readonly workspace: string;
  /** Writable paths in addition to the workspace: the private home and temporary directory. */
  readonly writable: readonly string[];
  /** The folder of the commands' output pipes. */
  readonly pipes: string;
  readonly toolChains: readonly string[];
  readonly readable: ReadableParts;
}

/** Grants system directories, the workspace, tool chains, and paths that rules allow. */
export function grantsFor(
  { workspace, writable, pipes, toolChains, readable }: SessionPaths,
  { confinement, reachable }: Launch,
  connectPorts: readonly number[],
): LandlockGrants {
  const open = [...toolChains, ...(confinement.readable ?? [])];
  const parts = [
    ...open.map((path) => readable.of(path, confinement.isHidden)),
    ...systemDirectories().map(partsOfSystem),
  ];
  return {
    readable: parts.flatMap(({ readable }) => readable),
    writable: [workspace, ...writable, ...(confinement.writable ?? []), "/dev/shm"],
    devices,
    openable: [pipes],
    listable: ["/dev", ...parts.flatMap(({ listable }) => listable)],
    connectPorts,
    mayListen: reachable,
  };
}

/** Returns the tool chains on the PATH that do not contain the home or the temporary directory. */
export function toolChainsElsewhere(
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const kept = [home, realOf(tmpdir())];
  return toolChainsIn("/", variables)
    .map(realOf)
    .filter((path) => dirname(path) !== path && !kept.some((directory) => liesInside(directory, path)));
}

/** Returns the parts of a system directory. For root they exclude the machine's secrets, which root owns. */
function partsOfSystem(path: string): PathParts {
  return systemParts.of(path, path === "/etc" && process.getuid?.() === 0 ? isSystemSecret : undefined);
}

function isSystemSecret(path: string): boolean {
  return /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|ssl\/private|ssh\/.*_key|.*\.keytab)$/.test(path);
}

let found: readonly string[] | undefined;

function systemDirectories(): readonly string[] {
  found ??= [...new Set(usualDirectories.filter(existsSync).map(realOf))];
  return found;
}

const usualDirectories = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys"],
  ...["/nix/store", "/nix/var/nix/profiles", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew"],
  ...["/run/systemd/resolve", "/run/resolvconf", "/run/current-system", "/run/opengl-driver"],
  ...["/var/lib/dpkg", "/var/lib/apt", "/var/lib/rpm", "/var/lib/pacman", "/var/cache/fontconfig"],
];

const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

function realOf(path: string): string {
  return realPathOf(path) ?? path;
}

/** A directory as Landlock rules describe it. */
type PathParts = Pick<LandlockGrants, "readable" | "listable">;

type IsHidden = (path: string) => boolean;

/**
 * Describes directories without their hidden entries. Landlock has no exceptions, so every entry next to a hidden one
 * becomes a rule of its own, and new entries there cannot be read. Results are cached until a directory changes.
 */
export class ReadableParts {
  readonly #known = new Map<string, { isHidden: IsHidden; seen: Map<string, string>; parts: PathParts }>();

  of(path: string, isHidden: IsHidden | undefined): PathParts {
    if (isHidden === undefined) return { readable: [path], listable: [] };
    const known = this.#known.get(path);
    const isSame =
      known?.isHidden === isHidden && [...known.seen].every(([seen, stamp]) => stampOf(seen) === stamp);
    if (isSame) return known.parts;
    const seen = new Map<string, string>();
    const parts = partsOf(path, isHidden, mostDepth, seen);
    this.#known.set(path, { isHidden, seen, parts });
    return parts;
  }
}

const systemParts = new ReadableParts();

// Tool chains have no secrets below this depth, and directories with more names contain data.
const mostDepth = 2;
const mostNames = 2000;

function partsOf(path: string, isHidden: IsHidden, depth: number, seen: Map<string, string>): PathParts {
  if (mayBePublicKeys(path)) seen.set(path, stampOf(path)!);
  if (isHidden(path)) return { readable: [], listable: [] };
  const names = depth === 0 ? [] : namesIn(path, seen);
  const children = names.map((name) => partsOf(join(path, name), isHidden, depth - 1, seen));
  const isWhole = children.every(({ readable, listable }) => readable.length === 1 && listable.length === 0);
  if (isWhole) return { readable: [path], listable: [] };
  return {
    readable: children.flatMap(({ readable }) => readable),
    listable: [path, ...children.flatMap(({ listable }) => listable)],
  };
}

function namesIn(path: string, seen: Map<string, string>): readonly string[] {
  const stamp = stampOf(path);
  if (stamp === undefined) return [];
  seen.set(path, stamp);
  const names = namesIfReadable(path);
  return names.length > mostNames ? [] : names;
}

/**
 * Returns the state of a directory, or of a file whose content decides; undefined for any other entry. Throws when it
 * cannot be examined.
 */
function stampOf(path: string): string | undefined {
  const isKeys = mayBePublicKeys(path);
  const stats = (isKeys ? statSync : lstatSync)(path, { throwIfNoEntry: false });
  return isKeys || stats?.isDirectory() ? `${stats?.ino}:${stats?.ctimeMs}` : undefined;
}

/** Returns the gaps of this version of Landlock, even with seccomp and the tripwire. */
export function landlockGaps(version: number): readonly string[] {
  return [
    secretsCanBeRead,
    "Commands can change protected files in the workspace (git hooks, settings of editors and agents) while they run. When the command or process ends, these files are restored, which also undoes your own changes to them.",
    "Commands see names, sizes and times of files outside the workspace. They can change modes and times of the user's own files, but not their contents, and cannot make them setuid.",
    "Commands see other processes in /proc, but not their memory and variables, and share /dev/shm with them.",
    "Commands have no /tmp; they use a private directory, TMPDIR.",
    ...(version < 6 ? [signalsPass] : []),
    ...(version < 5 ? ["Commands can send any ioctl to devices that they inherit (Linux before 6.10)."] : []),
    version < 4
      ? "Commands have no network, even where a rule allows a host (Linux before 6.7)."
      : "A command that may reach some hosts can also reach any host at the port number of the filtering proxy. Processes with reachable ports listen on the machine's own addresses.",
    ...(version < 2 ? ["Files cannot be moved between directories (Linux before 5.19)."] : []),
  ];
}

export const secretsCanBeRead: string =
  "Commands can read secrets in the workspace: Landlock cannot hide a single file of a directory.";

export const signalsPass: string =
  "Commands can send signals to other processes of the user (Linux before 6.12).";
