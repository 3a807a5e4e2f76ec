import { matchSegment, type Token } from "../lib/glob/glob-segment.ts";
import { type AddressKind, kindOfAddress } from "../lib/network-address.ts";
import type { HostRule } from "./rules/rule.ts";

/**
 * Returns the host in an address, as rules see it: lower case, ASCII, without user, port and trailing dot; numeric
 * addresses in their usual form (`127.1` and `[::ffff:7f00:1]` are `127.0.0.1`). Returns undefined without a valid
 * host.
 */
export function hostOf(address: string): string | undefined {
  const [, shellHost] = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(address) ?? [];
  const authority = shellHost ?? authorityOf(address);
  // Programs disagree about whether a name ends at these characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  if (/[\u0000-\u0020\u007f\\]/.test(authority)) return undefined;
  try {
    const { hostname } = new URL(`http://${withoutPort(authority)}/`);
    const [, address] = /^\[(.*)\]$/.exec(hostname) ?? [];
    return address === undefined ? hostname.replace(/\.+$/, "") || undefined : (embedded(address) ?? address);
  } catch {
    return undefined;
  }
}

/** Returns the IPv4 address that an IPv6 address leads to: mapped, translated, compatible, NAT64 and 6to4. */
function embedded(address: string): string | undefined {
  const [, high, low] =
    /^(?:::ffff:|::ffff:0:|64:ff9b::)(?:([0-9a-f]+):)?([0-9a-f]+)$/.exec(address) ??
    /^::([0-9a-f]+):([0-9a-f]+)$/.exec(address) ??
    /^2002:([0-9a-f]+):([0-9a-f]+):/.exec(address) ??
    [];
  if (low === undefined) return undefined;
  const [first, second] = [Number.parseInt(high ?? "0", 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join(".");
}

/** Returns the part before the path: `https://user@host:80/path`, `user@host:path`, `host:80`, `[::1]:80`, `@host`. */
function authorityOf(address: string): string {
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address) ?? [];
  return authority ?? address.replace(/[/?#].*$/s, "");
}

function withoutPort(authority: string): string {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host)) return `[${host}]`;
  return host.startsWith("[") ? host.replace(/^(\[[^\]]*\]).*$/s, "$1") : host.replace(/:.*$/s, "");
}

/** Returns the kind of a host's address; undefined for names, except those that always mean this machine. */
export function kindOfHost(host: string): AddressKind | undefined {
  return /(?:^|\.)localhost$/.test(host) ? "loopback" : kindOfAddress(host);
}

/** Whether a host, as `hostOf` returns it, means the machine or the sandbox that connects to it. */
export function meansLoopback(host: string | undefined): boolean {
  const kind = host === undefined ? undefined : kindOfHost(host);
  return kind === "loopback" || kind === "unspecified";
}

/** Returns whether the rule spells out a part of the name: `10.*` covers local addresses, `*` only public hosts. */
export function spells({ hosts }: HostRule, name: string): boolean {
  const isLetter = (token: Token) => typeof token === "object" && "code" in token && token.code !== dot;
  return hosts.some((host) => matchSegment(host, name) && host.tokens.some(isLetter));
}

const dot = ".".charCodeAt(0);
