import { dirname } from "node:path";
import { liesInside } from "../../system/workspace-path.ts";

/** What a command may reach. Paths are real: macOS compares them after following links. */
export interface SeatbeltReach {
  readonly workspace: string;
  readonly readable: readonly string[];
  /** In addition to the workspace. */
  readonly writable: readonly string[];
  /** In any of these: neither read nor written. */
  readonly hidden: readonly string[];
  /** In any of these: read, not written, also what is not there. */
  readonly readOnly: readonly string[];
  /** Written in, but neither renamed nor removed. */
  readonly held: readonly string[];
  /** The port of this machine that it may connect to. */
  readonly proxyPort?: number;
  readonly mayListen: boolean;
  /** It opens a terminal. */
  readonly terminal: boolean;
}

/** A profile for `sandbox-exec -p`. Where several rules match, the last one counts. */
export function seatbeltProfile(reach: SeatbeltReach): string {
  const writable = [reach.workspace, ...reach.writable];
  const kept = [...reach.hidden, ...reach.readOnly];
  // In a renamed directory, entries would have paths without a rule.
  const above = [...reach.held, ...kept].flatMap((path) => directoriesAbove(path, reach.workspace));
  return [
    "(version 1)",
    "(deny default)",
    "",
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    '(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple."))',
    rule(
      "allow mach-lookup",
      services.map((name) => `(global-name ${quoted(name)})`),
    ),
    "",
    "(allow file-read-metadata)",
    '(allow file-read-data (literal "/"))',
    rule("allow file-read* file-map-executable", below([...systemDirectories, ...reach.readable])),
    rule("allow file-read* file-map-executable file-write*", below(writable)),
    rule("allow file-read* file-write-data file-ioctl", devices.map(literal)),
    rule(
      "allow file-read* file-write-data file-ioctl",
      reach.terminal ? ['(regex #"^/dev/ttys[0-9]+$")'] : [],
    ),
    rule("allow", reach.terminal ? ["pseudo-tty"] : []),
    '(allow file-read* file-write-data (regex #"^/dev/fd/[0-9]+$"))',
    "",
    rule("deny file-write*", below(reach.readOnly)),
    rule("deny file-read* file-write*", below(reach.hidden)),
    rule("deny file-write-unlink", [...new Set([...reach.held, ...above])].map(literal)),
    rule(
      "allow network-outbound",
      reach.proxyPort === undefined ? [] : [`(remote ip "localhost:${reach.proxyPort}")`],
    ),
    rule("allow network-bind network-inbound", reach.mayListen ? ['(local ip "localhost:*")'] : []),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

/** A rule without filters would apply to everything. */
function rule(action: string, filters: readonly string[]): string | undefined {
  if (filters.length === 0) return undefined;
  return `(${[action, ...filters].join("\n  ")})`;
}

function below(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `(subpath ${quoted(path)})`);
}

function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Those in the workspace, without it. */
function directoriesAbove(path: string, workspace: string): readonly string[] {
  const directory = dirname(path);
  if (directory === workspace || !liesInside(directory, workspace)) return [];
  return [directory, ...directoriesAbove(directory, workspace)];
}

const systemDirectories = [
  ...["/usr", "/bin", "/sbin", "/opt", "/System", "/Library", "/nix/store"],
  ...[
    "/private/etc",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
    "/private/var/db/xcode_select_link",
  ],
  ...["/private/var/select", "/Applications/Xcode.app"],
];

const devices = ["null", "zero", "random", "urandom", "tty", "ptmx", "dtracehelper", "autofs_nowait"].map(
  (name) => `/dev/${name}`,
);

/** Users and groups, settings, logs, certificates. */
const services = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.bsd.dirhelper",
  "com.apple.cfprefsd.agent",
  "com.apple.cfprefsd.daemon",
  "com.apple.trustd",
  "com.apple.trustd.agent",
];
