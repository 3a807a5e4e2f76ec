/** Where somebody wants to connect to, in the one spelling that is judged and then resolved. */
export interface HostAndPort {
  /** A name in lower case without a dot at its end, or an address: `127.0.0.1`, `::1`. */
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `example.com:443` or `[::1]:443`. Strict: whatever two programs could read differently (users, control
 * characters, percent signs, letters beyond ASCII, zones) is no host at all.
 */
export function parseHostAndPort(text: string, defaultPort?: number): HostAndPort | undefined {
  const [, place = "", digits] = /^([^:]+|\[[^\]]*\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  const bracketed = /^\[(.*)\]$/s.exec(place)?.[1];
  if (bracketed !== undefined && !bracketed.includes(":")) return undefined;
  const host = parseHost(bracketed ?? place);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** A name or an address, the latter of version 6 without brackets. `127.1` and `0x7f000001` are `127.0.0.1`. */
export function parseHost(text: string): string | undefined {
  if (text.includes(":")) return /^[0-9a-f:.]+$/i.test(text) ? canonical(`[${text}]`) : undefined;
  const name = text.toLowerCase().replace(/\.$/, "");
  const isName = name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return isName ? canonical(name) : undefined;
}

/** What ends in a number is an address to some programs and a name to others, so it is written as an address. */
function canonical(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname.replace(/^\[(.*)\]$/, "$1");
  } catch {
    return undefined;
  }
}
