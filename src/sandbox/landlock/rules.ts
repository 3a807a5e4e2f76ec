import { partsOf } from "../../engine/sandbox/visible.ts";
import type { Launch } from "../sandbox.ts";

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
  /** Paths of the machine that commands may read, and those hidden in them. */
  readonly visible: readonly string[];
  readonly hidden: readonly string[];
}

/** Grants the visible parts of the machine, the workspace, and paths that rules allow. */
export function grantsFor(
  { workspace, writable, pipes, visible, hidden }: SessionPaths,
  { confinement, reachable }: Launch,
  connectPorts: readonly number[],
): LandlockGrants {
  const open = [...visible, "/proc", ...(confinement.readable ?? [])];
  const parts = open.map((path) => partsOf(path, hidden));
  const { readsOnly = false } = confinement;
  return {
    readable: [...parts.flatMap(({ readable }) => readable), ...(readsOnly ? [workspace] : [])],
    writable: [...(readsOnly ? [] : [workspace]), ...writable, ...(confinement.writable ?? []), "/dev/shm"],
    devices,
    openable: [pipes],
    listable: ["/dev", ...parts.flatMap(({ listable }) => listable)],
    connectPorts,
    mayListen: reachable,
  };
}

const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

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
