import { type SimpleCommand, type Word, wordAt } from "./command.ts";
import { isShellNetwork } from "./named-paths.ts";
import { programName } from "./spellings.ts";

/** A host that a command names. `address` is undefined for a program that connects to a host which no word names. */
export interface NamedHost {
  readonly word: Word;
  readonly address: string | undefined;
  /** Whether a program got the address that may not connect to it. Only deny rules apply. */
  readonly isMentioned?: true;
}

export function hostsNamedBy(command: SimpleCommand): readonly NamedHost[] {
  const { program, words, redirections, span, isElsewhere } = command;
  const byShell = redirections.flatMap(({ target }): NamedHost[] =>
    isShellNetwork.test(target.start) ? [{ word: target, address: target.value }] : [],
  );
  if (isElsewhere || program === undefined || texts.test(program)) return byShell;
  const rest = words.slice(1);
  const addresses = rest.flatMap((word): NamedHost[] => {
    const address = addressIn(word.value ?? "");
    return address === undefined ? [] : [{ word: wordAt(word, address), address }];
  });
  if (!connecting.has(programName(program)))
    return [...byShell, ...addresses.map((found) => ({ ...found, isMentioned: true }) as const)];
  if (addresses.length > 0) return [...byShell, ...addresses];
  const host = rest.find(
    ({ value }, at) => hostLike.test(value ?? "") && !takesValue.test(rest[at - 1]?.value ?? ""),
  );
  if (host !== undefined) return [...byShell, { word: host, address: host.value }];
  const word = { text: "a host that no word names", span, value: undefined, start: "", isInHome: false };
  return [...byShell, { word, address: undefined, isMentioned: true }];
}

/** Programs whose words name the host to which they connect. */
const connecting: ReadonlySet<string> = new Set(
  "curl wget nc ncat netcat telnet ftp sftp ssh scp dig host nslookup ping traceroute whois".split(" "),
);

const hostLike = /^(?!-)(?:[\w.-]+@)?(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d*)?(?:[/?#:].*)?$/i;

/** Options of these programs whose next word is a value. */
const takesValue =
  /^(?:-[a-zA-Z]*[oHdXuAebcFTwmKEpilPDrt]|--(?:output|header|data\S*|request|user|form|max-time))$/;

const texts = /^(?:echo|printf|:|true|false)$/;

/** Finds `https://host/…` anywhere in a text, or `user@host:path`. */
function addressIn(text: string): string | undefined {
  const at = text.indexOf("://");
  const [scheme] = /[a-z][a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, at - 20), Math.max(0, at))) ?? [];
  if (scheme === "file") return undefined;
  if (scheme !== undefined) return scheme + text.slice(at).split(/[\s"']/, 1)[0]!;
  return /^[\w.-]+@[\w.-]+:/.exec(text.slice(0, 300))?.[0];
}
