import type { Confinement } from "../contract/confinement.ts";
import { matchSegment, type NamePattern } from "../text/glob-segment.ts";
import { kindOfAddress } from "../text/net/kind-of-address.ts";
import { parseHost } from "../text/net/parse-host.ts";
import { isFor, strongest } from "./finding.ts";
import { hostOf } from "./hosts.ts";
import type { Decision, Part, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import type { HostRule } from "./rules/compile-rule.ts";

/**
 * Which hosts the commands of a call may reach; undefined for none. An address that is not on the internet (this machine,
 * the network around it, a cloud's metadata) must be named by a rule, or have been allowed as such.
 */
export function mayConnect(
  granted: readonly Part[],
  { mode, tool }: Question,
  policy: Policy,
): Confinement["mayConnect"] {
  const hosts = new Set(granted.flatMap((part) => (part.kind === "connect" ? (part.host ?? []) : [])));
  const near = policy.hosts.filter((rule) => isFor(rule, tool));
  const counts = ({ effect }: HostRule) => effect === "deny" || mode !== "paranoid";
  const isAllowing = near.some((rule) => rule.effect === "allow" && counts(rule));
  if (mode !== "yolo" && hosts.size === 0 && !isAllowing) return undefined;

  const said = (name: string) =>
    strongest(near.filter((rule) => counts(rule) && rule.hosts.some((host) => matchSegment(host, name))));
  const isNamed = (name: string) => {
    const { deny, wins } = said(name);
    if (deny !== undefined) return false;
    return hosts.has(name) || (wins?.kind === "connect" && wins.effect === "allow" && spells(wins, name));
  };
  return (host) => {
    const strict = parseHost(host);
    const name = strict === undefined ? undefined : hostOf(strict);
    if (name === undefined) return false;
    const { deny, wins } = said(name);
    if (deny !== undefined) return false;
    const kind = kindOfAddress(name);
    if (isNamed(name) || (kind === "loopback" && isNamed("localhost"))) return true;
    if (kind !== undefined && kind !== "public") return false;
    return mode === "yolo" || wins?.effect === "allow";
  };
}

/** The same for people: hosts that rules allow, as they write them, and those that this call names; "*" for any. */
export function hostsReached(
  { parts, unconfined }: Decision,
  { mode, tool }: Question,
  { hosts }: Policy,
): readonly string[] {
  if (mode === "yolo" || unconfined) return ["*"];
  const named = parts.flatMap(({ part, verdict }) =>
    part.kind === "connect" && verdict !== "deny" ? (part.host ?? []) : [],
  );
  const ruled =
    mode === "paranoid" ? [] : hosts.filter((rule) => rule.effect === "allow" && isFor(rule, tool));
  return [...new Set([...ruled.map(({ spelled }) => spelled), ...named])];
}

/** `*` means every host that others can reach as well; `10.*` means the addresses around here. */
function spells({ hosts }: HostRule, name: string): boolean {
  return hosts.some((host) => matchSegment(host, name) && host.tokens.some(isLetter));
}

function isLetter(token: NamePattern["tokens"][number]): boolean {
  return typeof token === "object" && "code" in token && token.code !== dot;
}

const dot = ".".charCodeAt(0);
