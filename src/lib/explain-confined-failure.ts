import type { SandboxLevel } from "../contract/call.ts";
import { quotePathForRule } from "./text/rule-text.ts";

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
  /** The folder that a rule must make writable so that the command can write a path. Default: unknown. */
  readonly folderToWrite?: ((path: string) => string | undefined) | undefined;
  /** Whether commands see an entry of another user, over which root has no rights there. Default: unknown. */
  readonly isOfOther?: ((path: string) => boolean) | undefined;
  /** The repository around the workspace, which commands do not see. Default: none. */
  readonly around?: (() => SurroundingRepository | undefined) | undefined;
  /** The names of variables that the command does not get, but that a rule could pass to it. */
  readonly withheld?: readonly string[];
}

export interface SurroundingRepository {
  readonly directory: string;
  /** Whether it has a file, package or program, by its name or by a path that begins with `../`. */
  has(name: string): boolean;
}

/** Explains a failure caused by the sandbox, and names the rule or the alternative that makes the command work. */
export function explainConfinedFailure(run: ConfinedRun): readonly string[] {
  const { exitCode, sandbox } = run;
  const end = run.output.slice(-maxOutputChars);
  const withheld = exitCode === 0 ? [] : explainWithheld(run, end);
  if (sandbox === "none") return withheld;
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
        `Commands do not see ${path}. The rule \`allow read ${quotePathForRule(path)}\` shows it to them.`,
    );
  const offline = explainNoConnection({ ...run, output });
  const readOnly = explainReadOnly(run, output);
  const ofOthers = explainOthers(run, output);
  const refusals = sandboxRefusals
    .filter(({ levels, isOfOwner = false }) => {
      const isRefused = levels === "all" || levels.includes(sandbox);
      return isRefused && !(isOfOwner && ofOthers.length > 0);
    })
    .filter(({ sign }) => sign.test(output))
    .map(({ note }) => note);
  const isRefusedWrite = run.readsOnly === true && refusedWrite.test(output);
  return [
    ...withheld,
    ...(offline === undefined ? [] : [offline]),
    ...shown,
    ...explainAround(run, output),
    ...readOnly,
    ...ofOthers,
    ...(isRefusedWrite ? [readOnlyView] : []),
    ...refusals,
  ];
}

/** Names the rule for what a command has looked for in the folders above the workspace, such as `node_modules`. */
function explainAround(run: ConfinedRun, output: string): readonly string[] {
  const around = run.around?.();
  if (around === undefined) return [];
  const names = missingNames.flatMap((sign) => [...output.matchAll(sign)].map(([, name]) => name!));
  if (!/not a git repository/i.test(output) && !names.slice(0, mostNames).some((name) => around.has(name)))
    return [];
  const { directory } = around;
  return [
    `Commands do not see the repository around the workspace, ${directory}. Start Toolcrib there, or add the rule \`allow read ${quotePathForRule(directory)}/**\`, which shows it read-only.`,
  ];
}

const missingNames: readonly RegExp[] = [
  /cannot find (?:module|package) ['"]([^'"\n]{1,200})['"]/gi,
  /no module named ['"]?([\w.]{1,200})/gi,
  /([\w.@-]{1,100}): (?:command )?not found$/gim,
  /could not find `?(Cargo\.toml)/gi,
  /((?:\.\.\/)+[^\s'":]{1,200})[^\n]{0,40}(?:not found|no such file)/gi,
];
const mostNames = 20;

const refusedWrite = /read-only file system|EROFS|permission denied|EACCES/i;

const readOnlyView =
  "Programs that usually only read run with a read-only workspace. Write the result with `> FILE`: then the workspace is writable.";

const shownPaths = 3;

/** Names the rule for variables that the command or its output mentions. */
function explainWithheld({ command, withheld = [] }: ConfinedRun, output: string): readonly string[] {
  const isWord = (name: string) => /^[A-Za-z]\w{3,}$/.test(name);
  const names = withheld
    .filter((name) => isWord(name) && new RegExp(`(?<!\\w)${name}(?!\\w)`).test(`${command}\n${output}`))
    .slice(0, shownPaths)
    .join(" ");
  if (names === "") return [];
  return [
    `Commands do not get ${names} from the environment. The rule \`pass ${names}\` passes ${names.includes(" ") ? "them" : "it"} on.`,
  ];
}

/** Names the rule for paths that exist read-only inside. Some programs name the path some lines earlier. */
function explainReadOnly({ folderToWrite }: ConfinedRun, output: string): readonly string[] {
  if (folderToWrite === undefined || !readOnlySign.test(output)) return [];
  const lines = output.split("\n");
  const near = lines.flatMap((line, index) =>
    readOnlySign.test(line) ? lines.slice(Math.max(0, index - linesBefore), index + 1) : [],
  );
  const folders = new Set(pathsIn(near).flatMap((path) => folderToWrite(path) ?? []));
  return [...folders].slice(0, 1).map((folder) => {
    return `${folder} is read-only for commands. The rule \`allow write ${quotePathForRule(folder)}/**\` lets them write there.`;
  });
}

// Maven only finds that its lock is missing.
const readOnlySign =
  /read-only file system|\bEROFS\b|isn't writable|is not writable|\.lock \(No such file or directory\)/i;
const linesBefore = 3;

function explainOthers({ isOfOther }: ConfinedRun, output: string): readonly string[] {
  if (isOfOther === undefined) return [];
  const denied = output.split("\n").filter((line) => deniedSign.test(line));
  const names = denied.flatMap((line) => line.split(/: |['"‘’“”]/).map((part) => part.trim()));
  const found = names.find((name) => name !== "" && isOfOther(name));
  return found === undefined
    ? []
    : [
        `${found} belongs to another user, over whose files root has no rights in the sandbox. A rule such as \`unconfined run COMMAND\` runs a command outside the sandbox.`,
      ];
}

const deniedSign = /permission denied|operation not permitted|\bE(?:ACCES|PERM)\b/i;

/** Finds absolute paths on lines that say that something is missing or denied. */
function missingPathsIn(output: string): readonly string[] {
  return pathsIn(output.split("\n").filter((line) => missingSign.test(line)));
}

function pathsIn(lines: readonly string[]): readonly string[] {
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
    return `No server of this session listens there. The rule \`allow connect ${hosts[0]}\` lets commands connect to servers of this machine by HTTP and ssh.`;
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
    "(?:failed to connect to|connect to host) \\S+ port \\d+|failed to open TCP connection to",
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
  /(?:failed to connect to|connect to host) ([\w.-]+) port \d+/gi,
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
  /** Whether only the owner of a file gets this far. */
  readonly isOfOwner?: true;
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
    levels: "all",
    sign: /\bptrace\b[^\n]{0,120}(?:not permitted|denied)|PTRACE_\w+[^\n]{0,80}(?:not permitted|denied)|trace the inferior|under ptrace|perf_event_(?:open|paranoid)|no permission to enable [^\n]{0,80}event|socket\.socket\.__init__[\s\S]{0,200}Operation not permitted|(?:SOCK_RAW|raw socket|ping: socket)[^\n]{0,200}(?:not permitted|denied)/i,
    note: "The sandbox refuses tracing (ptrace), performance counters and raw sockets. A rule such as `unconfined run COMMAND` runs a command outside the sandbox.",
  },
  {
    levels: "all",
    sign: /^Host key verification failed|Permission denied \(publickey/m,
    note: "Commands do not see the user's ssh keys, known hosts and agent. A rule such as `unconfined run git push **` runs a command outside the sandbox.",
  },
  {
    levels: "all",
    sign: /(?:ownership (?:of|to)|\bl?f?chown(?:at|Sync)?\b)[^\n]{0,200}(?:invalid argument|not permitted|EINVAL|EPERM)/i,
    isOfOwner: true,
    note: "In the sandbox, files cannot be given to other users or groups. `tar --no-same-owner` and `cp -r` leave owners as they are.",
  },
  {
    levels: "all",
    sign: /(?:permissions of|\bf?chmod(?:at|Sync)?\b|change mode|set-?[ug]id)[^\n]{0,200}(?:not permitted|EPERM)/i,
    isOfOwner: true,
    note: "In the sandbox, files cannot get setuid or setgid bits.",
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
