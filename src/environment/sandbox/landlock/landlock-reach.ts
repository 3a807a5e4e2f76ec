import { existsSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { liesInside } from "../../workspace-path.ts";
import { cachesIn } from "../caches.ts";
import type { Launch } from "../sandbox.ts";
import type { Reach } from "./landlock-rules.ts";

/** What stays the same for all commands of a session. */
export interface Surroundings {
  readonly workspace: string;
  /** Beside the workspace: the private home and temporary directory. */
  readonly writable: readonly string[];
  /** Tool chains and settings below the home directory of the person. */
  readonly caches: readonly string[];
}

/** Whatever is not in a system directory, the workspace, a tool chain or said by a rule is out of reach. */
export function landlockReach(
  { workspace, writable, caches }: Surroundings,
  { confinement, reachable, terminal }: Launch,
  connectPorts: readonly number[],
): Reach {
  const isHidden = confinement.isHidden ?? (() => false);
  const open = [...caches, ...(confinement.readable ?? [])];
  const parts = [...open.map((path) => partsToRead(path, isHidden)), ...systemParts()];
  return {
    readable: parts.flatMap(({ readable }) => readable),
    writable: [workspace, ...writable, ...(confinement.writable ?? []), "/dev/shm"],
    devices: [...devices, ...(terminal === true ? ["/dev/ptmx", "/dev/pts"] : [])],
    listable: ["/dev", ...parts.flatMap(({ listable }) => listable)],
    connectPorts,
    mayListen: reachable,
  };
}

/** Tool chains outside home and system directories, found as shells find programs. */
export function toolChainsElsewhere(
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const kept = [home, realOf(tmpdir())];
  return cachesIn("/", variables)
    .map(realOf)
    .filter((path) => dirname(path) !== path && !kept.some((place) => liesInside(place, path)));
}

interface Parts {
  readonly readable: readonly string[];
  readonly listable: readonly string[];
}

/**
 * Landlock knows no exceptions: where something hidden lies in a directory, what is beside it is named one by one. That
 * is for places where nothing new is made. Deeper than this nobody keeps secrets in tool chains.
 */
function partsToRead(path: string, isHidden: (path: string) => boolean, depth = 2): Parts {
  if (isHidden(path)) return nothing;
  const names = depth === 0 ? undefined : namesIfDirectory(path);
  if (names === undefined) return { readable: [path], listable: [] };
  const children = names.map((name) => partsToRead(join(path, name), isHidden, depth - 1));
  const isWhole = children.every(({ readable, listable }) => readable.length === 1 && listable.length === 0);
  if (isWhole) return { readable: [path], listable: [] };
  return {
    readable: children.flatMap(({ readable }) => readable),
    listable: [path, ...children.flatMap(({ listable }) => listable)],
  };
}

const nothing: Parts = { readable: [], listable: [] };

function namesIfDirectory(path: string): readonly string[] | undefined {
  try {
    const names = readdirSync(path);
    return names.length > maxNames ? undefined : names;
  } catch {
    return undefined;
  }
}

const maxNames = 2000;

let system: readonly Parts[] | undefined;

function systemParts(): readonly Parts[] {
  // Root without its powers still owns the passwords of the machine.
  system ??= systemDirectories
    .filter(existsSync)
    .map((path) => partsToRead(realOf(path), process.getuid?.() === 0 ? isSecretOfTheSystem : () => false));
  return system;
}

function isSecretOfTheSystem(path: string): boolean {
  return /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|krb5\.keytab|ssl\/private|ssh\/.*_key|.*\.keytab)$/.test(
    path,
  );
}

const systemDirectories = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys"],
  ...["/nix/store", "/nix/var/nix/profiles", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew"],
  ...["/run/systemd/resolve", "/run/resolvconf", "/run/current-system", "/run/opengl-driver"],
  ...["/var/lib/dpkg", "/var/lib/apt", "/var/lib/rpm", "/var/lib/pacman", "/var/cache/fontconfig"],
];

const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
