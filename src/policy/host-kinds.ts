import { matchSegment, type NamePattern } from "../lib/glob/glob-segment.ts";
import { type AddressKind, kindOfAddress } from "../lib/net/kind-of-address.ts";
import type { HostRule } from "./rules/compile-rule.ts";

/** What stands behind a host as rules see it; undefined for names, but for those that mean this machine everywhere. */
export function kindOfHost(host: string): AddressKind | undefined {
  return /(?:^|\.)localhost$/.test(host) ? "loopback" : kindOfAddress(host);
}

/** `*` means every host that others can reach as well; `10.*` means the addresses around here. */
export function spells({ hosts }: HostRule, name: string): boolean {
  return hosts.some((host) => matchSegment(host, name) && host.tokens.some(isLetter));
}

function isLetter(token: NamePattern["tokens"][number]): boolean {
  return typeof token === "object" && "code" in token && token.code !== dot;
}

const dot = ".".charCodeAt(0);
