import type { SandboxLevel } from "../contract/call.ts";

export interface ConfinedRun {
  readonly command: string;
  /** Both outputs, or their end. */
  readonly output: string;
  /** Null when the command was killed. */
  readonly exitCode: number | null;
  readonly sandbox: SandboxLevel;
  /** Whether the command could connect to every host. */
  readonly hasNetwork: boolean;
  /** Whether it ran with a read-only workspace, because its programs are known to only read. */
  readonly readsOnly?: boolean | undefined;
  /** Whether a path exists, and commands do not see it without a rule. Default: unknown. */
  readonly isUnseen?: ((path: string) => boolean) | undefined;
}

/** Explains a failure caused by the sandbox, and names the rule or the alternative that makes the command work. */
export function explainConfinedFailure(run: ConfinedRun): readonly string[] {
  const { exitCode, sandbox } = run;
  if (sandbox === "none") return [];
  const end = run.output.slice(-maxOutputChars);
  // A pipe may hide a failure behind exit code 0. Then only lines that begin like an error message count.
  const lines = end.split("\n");
  const output = exitCode === 0 ? lines.filter((line) => complaint.test(line)).join("\n") : end;
  const unseen = (run.isUnseen === undefined ? [] : missingPathsIn(output)).filter((path) =>
    run.isUnseen!(path),
  );
  const shown = unseen
    .slice(0, shownPaths)
    .map(
      (path) =>
        `Commands do not see ${path}. The rule \`allow read ${/\s/.test(path) ? `"${path}"` : path}\` shows it to them.`,
    );
  const offline = explainNoConnection({ ...run, output });
  const refusals = sandboxRefusals
    .filter(({ levels, sign }) => (levels === "all" || levels.includes(sandbox)) && sign.test(output))
    .map(({ note }) => note);
  const isRefusedWrite = run.readsOnly === true && refusedWrite.test(output);
  return [
    ...(offline === undefined ? [] : [offline]),
    ...shown,
    ...(isRefusedWrite ? [readOnlyView] : []),
    ...refusals,
  ];
}

const refusedWrite = /read-only file system|EROFS|permission denied|EACCES/i;

const readOnlyView =
  "Programs that usually only read run with a read-only workspace. Write the result with `> FILE`: then the workspace is writable.";

const shownPaths = 3;

/** Finds absolute paths on lines that say that something is missing or denied. */
function missingPathsIn(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => missingSign.test(line));
  const quoted = lines.flatMap((line) =>
    [...line.matchAll(/['"‘“](\/[^'"’”]+)['"’”]/g)].map(([, path]) => path!),
  );
  const bare = lines.flatMap((line) =>
    [...line.matchAll(/(?<![\w.~'"‘“])(\/[^\s'":,;)]+)/g)].map(([, path]) => path!),
  );
  return [...new Set([...quoted, ...bare])];
}

const missingSign =
  /no such file or directory|not found|cannot find|does not exist|ENOENT|permission denied|EACCES/i;

const complaint =
  /^(?:curl: \(\d+\)|fatal: |npm (?:error|ERR!)|ssh: |wget: |error: |ERROR: |[EW]: |\S*bash: )/;

const maxOutputChars = 32 * 1024;

/** Names the rule that would let the command connect. Returns undefined when it failed for another reason. */
function explainNoConnection(run: ConfinedRun): string | undefined {
  if (!offlineSigns.test(run.output) && !hasOfflineExitCode(run)) return undefined;
  const hosts = [...new Set(hostsIn(run).flatMap((host) => [host, ...(companions[host] ?? [])]))];
  if (run.sandbox === "bwrap" && hosts.length > 0 && hosts.every((host) => loopback.test(host)))
    return `No server of this session listens there. The rule \`allow connect ${hosts[0]}\` lets commands connect to servers of this machine by HTTP.`;
  if (run.hasNetwork) return undefined;
  return hosts.length === 0
    ? "The command ran without network. A rule such as `allow connect HOST` lets commands connect to a host."
    : `The command ran without network. The rule \`allow connect ${hosts.slice(0, shownHosts).join(" ")}\` lets it connect.`;
}

const loopback = /^(?:localhost|127\.[\d.]+|0\.0\.0\.0)$/;

const offlineSigns = new RegExp(
  [
    "(?:could not|unable to|couldn't|cannot) resolve (?:host|proxy)",
    "\\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\\b",
    "network is unreachable|temporary failure in name resolution|no address associated with hostname",
    "name or service not known|nodename nor servname|unknown ?host(?:\\b|Exception)",
    "failed to lookup address information|dns error|dial tcp: lookup \\S+",
    "failed to connect to \\S+ port \\d+|failed to open TCP connection to",
    "connect (?:ECONNREFUSED|EACCES) (?:127\\.0\\.0\\.1|::1):\\d+",
  ].join("|"),
  "i",
);

/** Recognizes the exit codes of curl and wget for a failed connection, because both can be silent. */
function hasOfflineExitCode({ command, exitCode }: ConfinedRun): boolean {
  return (
    (/\bcurl\b/.test(command) && (exitCode === 6 || exitCode === 7)) ||
    (/\bwget\b/.test(command) && exitCode === 4)
  );
}

function hostsIn({ command, output }: ConfinedRun): readonly string[] {
  const named = namings.flatMap((naming) => [...output.matchAll(naming)].map(([, host]) => host ?? ""));
  const asked = named.some(isHost) ? [] : [...command.matchAll(address)].map(([, host]) => host ?? "");
  const usual = [...registries].flatMap(([sign, host]) => (sign.test(output) ? [host] : []));
  const found = [...named, ...asked].filter(isHost).map((host) => host.toLowerCase());
  return found.length > 0 ? found : usual;
}

const namings: readonly RegExp[] = [
  /could not resolve host(?:name)?:? ["'‘]?([\w.-]+)/gi,
  /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g,
  /unable to resolve host(?: address)? ["'‘“]?([\w.-]+)/gi,
  /\bdial tcp: lookup ([\w.-]+)/g,
  /HTTPS?ConnectionPool\(host='([\w.-]+)'/g,
  /failed to connect to ([\w.-]+) port \d+/gi,
  /Failed to open TCP connection to ([\w.-]+):\d+/g,
  /UnknownHostException:? ([\w.-]+)/g,
  /unknown host:? ([\w.-]+)/gi,
  /connect (?:ECONNREFUSED|EACCES) ([\d.]+):\d+/g,
];

const address = /\bhttps?:\/\/(?:[^\s/@'"]+@)?([\w.-]+)/g;

/** The default hosts of programs whose messages name no host. */
const registries: ReadonlyMap<RegExp, string> = new Map([
  [/No matching distribution found|pip\._vendor/, "pypi.org"],
  [/npm (?:error|ERR!)/, "registry.npmjs.org"],
]);

/** Registries that list packages at one host and store them at another. */
const companions: Readonly<Record<string, readonly string[]>> = {
  "pypi.org": ["files.pythonhosted.org"],
  "index.crates.io": ["static.crates.io"],
  "proxy.golang.org": ["sum.golang.org"],
  "rubygems.org": ["index.rubygems.org"],
};

function isHost(text: string): boolean {
  return /^(?:localhost|(?:[\w-]+\.)+[\w-]+)$/.test(text);
}

const shownHosts = 6;

interface SandboxRefusal {
  readonly levels: "all" | readonly SandboxLevel[];
  readonly sign: RegExp;
  readonly note: string;
}

/** Actions that a sandbox refuses regardless of the rules, and their alternatives. */
const sandboxRefusals: readonly SandboxRefusal[] = [
  {
    levels: ["landlock"],
    sign: /(?:^|[\s'"‘“(])\/(?:var\/)?tmp\/[^\n]{0,300}permission denied|permission denied[^\n]{0,100}['"‘“ ]\/(?:var\/)?tmp\/|AccessDeniedException: \/(?:var\/)?tmp\//im,
    note: "Write temporary files to $TMPDIR: without bubblewrap commands cannot use /tmp.",
  },
  {
    levels: ["landlock"],
    sign: /listen EACCES|bind[^\n]{0,80}permission denied|permission denied[^\n]{0,80}bind/i,
    note: "Without bubblewrap a command cannot listen on a port. Start a server with process.start; tests that connect to their own server need bubblewrap.",
  },
  {
    levels: "all",
    sign: /listen EPERM|(?:AF_UNIX|\.sock\b)[^\n]{0,100}operation not permitted|connection\.py[\s\S]{0,400}\[Errno 1\] Operation not permitted/i,
    note: "The sandbox blocks Unix sockets. A rule such as `unconfined run COMMAND` runs a command outside the sandbox.",
  },
  {
    levels: ["bwrap"],
    sign: /^(?!.{0,50}config file).{0,300}device or resource busy/im,
    note: "A command cannot move or delete protected or hidden files, nor the directories that contain them. The user can.",
  },
  {
    levels: "all",
    sign: /fatal: cannot (?:copy|mkdir)[^\n]{0,300}\.git\b[^\n]{0,300}(?:denied|read-only|exists)/i,
    note: "Run `git init` or `git clone` first, in a separate command.",
  },
  {
    levels: "all",
    sign: /could not (?:write|lock) config file [^\n]{0,300}\.git\//,
    note: "Commands cannot change the settings of a repository, because settings can name programs to run. Pass them for one command (`git -c name=value …`), or ask the user to set them.",
  },
];
