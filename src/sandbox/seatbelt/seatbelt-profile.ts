import { directoriesAbove } from "../real-paths.ts";

/** The access of a command. Paths are real, because macOS compares them after following links. */
interface SeatbeltAccess {
  readonly workspace: string;
  readonly readable: readonly string[];
  /** Writable paths in addition to the workspace. */
  readonly writable: readonly string[];
  /** Paths that cannot be read or written, with everything in them. */
  readonly hidden: readonly string[];
  /** Paths that cannot be written or created, with everything in them. */
  readonly readOnly: readonly string[];
  /** Paths in which entries can be written, but which cannot be renamed or removed. */
  readonly held: readonly string[];
  /** The port of this machine that the command may connect to. */
  readonly proxyPort?: number;
  readonly mayListen: boolean;
  /** Whether the command opens a terminal. */
  readonly terminal: boolean;
}

/** Returns a profile for `sandbox-exec -p`. When several rules match, the last one counts. */
export function seatbeltProfile(access: SeatbeltAccess): string {
  const writable = [access.workspace, ...access.writable];
  const kept = [...access.hidden, ...access.readOnly];
  // These directories must not be renamed, because no rule would match the new paths of their entries.
  const above = [...access.held, ...kept].flatMap((path) => directoriesAbove(path, access.workspace));
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
    rule("allow file-read* file-map-executable", below([...systemDirectories, ...access.readable])),
    rule("allow file-read* file-map-executable file-write*", below(writable)),
    rule("allow file-read* file-write-data file-ioctl", devices.map(literal)),
    rule(
      "allow file-read* file-write-data file-ioctl",
      access.terminal ? ['(regex #"^/dev/ttys[0-9]+$")'] : [],
    ),
    rule("allow", access.terminal ? ["pseudo-tty"] : []),
    '(allow file-read* file-write-data (regex #"^/dev/fd/[0-9]+$"))',
    "",
    rule("deny file-write*", below(access.readOnly)),
    rule("deny file-read* file-write*", below(access.hidden)),
    rule("deny file-write-unlink", [...new Set([...access.held, ...above])].map(literal)),
    rule(
      "allow network-outbound",
      access.proxyPort === undefined ? [] : [`(remote ip "localhost:${access.proxyPort}")`],
    ),
    rule("allow network-bind network-inbound", access.mayListen ? ['(local ip "localhost:*")'] : []),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

/** Returns a rule; undefined without filters, because it would apply to everything. */
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

const systemDirectories = [
  ...["/usr", "/bin", "/sbin", "/opt", "/System", "/Library", "/nix/store", "/private/etc"],
  ...["timezone", "dyld", "xcode_select_link"].map((name) => `/private/var/db/${name}`),
  ...["/private/var/select", "/Applications/Xcode.app"],
];

const devices = ["null", "zero", "random", "urandom", "tty", "ptmx", "dtracehelper", "autofs_nowait"].map(
  (name) => `/dev/${name}`,
);

/** The services for users and groups, settings, logs and certificates. */
const services = [
  ...["system.opendirectoryd.libinfo", "system.opendirectoryd.membership", "system.notification_center"],
  ...["system.logger", "bsd.dirhelper", "cfprefsd.agent", "cfprefsd.daemon", "trustd", "trustd.agent"],
].map((name) => `com.apple.${name}`);
