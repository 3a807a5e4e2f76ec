import type { SandboxLevel } from "../contract/call.ts";

/** A command that has run in a sandbox. */
export interface ConfinedRun {
  readonly command: string;
  /** Both outputs, or their end. */
  readonly output: string;
  /** Null when it was ended. */
  readonly exitCode: number | null;
  readonly sandbox: SandboxLevel;
  /** There is a host that it could reach. */
  readonly hasNetwork: boolean;
}

/** Where a command failed because it was confined: which rule, or which way, lets it do what it tried. */
export function explainConfinedFailure(run: ConfinedRun): readonly string[] {
  const { command, exitCode, sandbox, hasNetwork } = run;
  if (sandbox === "none") return [];
  const said = run.output.slice(-longestOutput);
  // A pipe hides the failure of its first part. A command that only prints such messages of others has not failed.
  const output = exitCode === 0 ? complaintsIn(said) : said;
  const offline = hasNetwork ? undefined : explainNoNetwork({ command, output, exitCode });
  return [...(offline === undefined ? [] : [offline]), ...explainSandboxRefusals(output, sandbox)];
}

function complaintsIn(output: string): string {
  return output
    .split("\n")
    .filter((line) => complaint.test(line))
    .join("\n");
}

const complaint =
  /^(?:curl: \(\d+\)|fatal: |npm (?:error|ERR!)|ssh: |wget: |error: |ERROR: |[EW]: |\S*bash: )/;

const longestOutput = 32 * 1024;

/** A command that failed and could reach no host. */
interface FailedOffline {
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | null;
}

/** One remark with the rule that would let it reach what it tried to reach; nothing if it failed for another reason. */
function explainNoNetwork(failed: FailedOffline): string | undefined {
  const { output } = failed;
  const isOffline = signs.some((sign) => sign.test(output)) || saysSoByNumber(failed);
  if (!isOffline) return undefined;
  const hosts = [...new Set(hostsIn(failed).flatMap((host) => [host, ...(companions[host] ?? [])]))];
  return hosts.length === 0
    ? "It ran without network: a rule such as `allow connect HOST` lets commands reach a host."
    : `It ran without network: the rule \`allow connect ${hosts.slice(0, shownHosts).join(" ")}\` lets it connect.`;
}

const signs: readonly RegExp[] = [
  /could not resolve (?:host|proxy)/i,
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b/,
  /network is unreachable/i,
  /temporary failure in name resolution/i,
  /name or service not known|nodename nor servname/i,
  /no address associated with hostname/i,
  /unable to resolve host/i,
  /failed to lookup address information|dns error/i,
  /dial tcp: lookup \S+/,
  /UnknownHostException|unknown host\b/i,
  /failed to connect to \S+ port \d+/i,
  /Failed to open TCP connection to/,
  /couldn't resolve host|cannot resolve host/i,
  /connect (?:ECONNREFUSED|EACCES) (?:127\.0\.0\.1|::1):\d+/,
];

/** Silent curl and wget still exit with their own codes: could not resolve, could not connect. */
function saysSoByNumber({ command, exitCode }: FailedOffline): boolean {
  return (
    (/\bcurl\b/.test(command) && (exitCode === 6 || exitCode === 7)) ||
    (/\bwget\b/.test(command) && exitCode === 4)
  );
}

function hostsIn({ command, output }: FailedOffline): readonly string[] {
  const named = namings.flatMap((naming) => [...output.matchAll(naming)].map(([, host]) => host ?? ""));
  const asked = named.some(isHost) ? [] : [...command.matchAll(address)].map(([, host]) => host ?? "");
  const usual = [...registries].flatMap(([sign, host]) => (sign.test(output) ? [host] : []));
  const found = [...named, ...asked].filter(isHost).map((host) => host.toLowerCase());
  return found.length > 0 ? found : usual;
}

/** Where messages name the host. */
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

/** Default hosts of programs whose messages name none. */
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

/** What this level of the sandbox refuses whatever the rules, and what to do instead. */
function explainSandboxRefusals(output: string, sandbox: SandboxLevel): readonly string[] {
  return closed
    .filter(({ levels, sign }) => (levels === "all" || levels.includes(sandbox)) && sign.test(output))
    .map(({ remark }) => remark);
}

interface SandboxRefusal {
  readonly levels: "all" | readonly SandboxLevel[];
  readonly sign: RegExp;
  readonly remark: string;
}

const closed: readonly SandboxRefusal[] = [
  {
    levels: ["landlock"],
    sign: /(?:^|[\s'"‘“(])\/(?:var\/)?tmp\/[^\n]{0,300}permission denied|permission denied[^\n]{0,100}['"‘“ ]\/(?:var\/)?tmp\/|AccessDeniedException: \/(?:var\/)?tmp\//im,
    remark: "Temporary files belong into $TMPDIR here: without bubblewrap /tmp cannot be given to a command.",
  },
  {
    levels: ["landlock"],
    sign: /listen EACCES|bind[^\n]{0,80}permission denied|permission denied[^\n]{0,80}bind/i,
    remark:
      "Without bubblewrap a command cannot listen: process.start can, for what is reached from outside; tests that connect to their own server need bubblewrap.",
  },
  {
    levels: "all",
    sign: /listen EPERM|(?:AF_UNIX|\.sock\b)[^\n]{0,100}operation not permitted|connection\.py[\s\S]{0,400}\[Errno 1\] Operation not permitted/i,
    remark:
      "The sandbox has no Unix sockets, which lead out of it: what needs them runs outside, by a rule such as `unconfined run WORDS`.",
  },
  {
    levels: ["bwrap"],
    sign: /^(?!.{0,50}config file).{0,300}device or resource busy/im,
    remark:
      "What is protected or hidden, and the directories that it lies in, can be neither moved nor deleted by a command: a person can.",
  },
  {
    levels: "all",
    sign: /fatal: cannot (?:copy|mkdir)[^\n]{0,300}\.git\b[^\n]{0,300}(?:denied|read-only|exists)/i,
    remark: "A repository is made by `git init` or `git clone` in a command of its own: run that first.",
  },
  {
    levels: "all",
    sign: /could not (?:write|lock) config file [^\n]{0,300}\.git\//,
    remark:
      "Commands do not change the settings of a repository, which can name programs to run: give them for one command (`git -c name=value …`), or ask the person to set them.",
  },
];
