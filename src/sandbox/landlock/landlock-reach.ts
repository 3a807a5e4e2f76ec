import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { liesInside } from "../../system/workspace-path.ts";
import { cachesIn } from "../caches.ts";
import type { Launch } from "../sandbox.ts";
import type { Reach } from "./landlock-rules.ts";
import { type Parts, ReadableParts } from "./readable-parts.ts";

/** What stays the same for all commands of a session. */
export interface Surroundings {
  readonly workspace: string;
  /** Beside the workspace: the private home and temporary directory. */
  readonly writable: readonly string[];
  /** Where the pipes of their outputs are. */
  readonly pipes: string;
  /** Tool chains and settings below the home directory of the person. */
  readonly caches: readonly string[];
  readonly places: ReadableParts;
}

/** Whatever is not in a system directory, the workspace, a tool chain or said by a rule is out of reach. */
export function landlockReach(
  { workspace, writable, pipes, caches, places }: Surroundings,
  { confinement, reachable }: Launch,
  connectPorts: readonly number[],
): Reach {
  const open = [...caches, ...(confinement.readable ?? [])];
  const parts = [
    ...open.map((path) => places.of(path, confinement.isHidden)),
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

const systemParts = new ReadableParts();

/** Root without its powers still owns the passwords of the machine. */
function partsOfSystem(path: string): Parts {
  return systemParts.of(path, path === "/etc" && process.getuid?.() === 0 ? isSecretOfTheSystem : undefined);
}

function isSecretOfTheSystem(path: string): boolean {
  return /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|krb5\.keytab|ssl\/private|ssh\/.*_key|.*\.keytab)$/.test(
    path,
  );
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
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
