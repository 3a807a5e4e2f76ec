/** A command that failed and could reach no host. */
export interface FailedOffline {
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | null;
}

/** One remark with the rule that would let it reach what it tried to reach; nothing if it failed for another reason. */
export function explainNoNetwork(failed: FailedOffline): string | undefined {
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

/** Told to be silent, they still end with a number of their own: could not resolve, could not connect. */
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

/** What does not say where it wanted to go. */
const registries: ReadonlyMap<RegExp, string> = new Map([
  [/No matching distribution found|pip\._vendor/, "pypi.org"],
  [/npm (?:error|ERR!)/, "registry.npmjs.org"],
]);

/** Who lists packages at one host and keeps them at another. */
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
