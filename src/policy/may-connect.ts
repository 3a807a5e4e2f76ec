import type { Confinement } from "../contract/confinement.ts";
import { matchSegment } from "../lib/glob/glob-segment.ts";
import { parseHost } from "../lib/network-address.ts";
import { hostOf, kindOfHost, spells } from "./hosts.ts";
import type { Decision, PolicyPart, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { type HostRule, isFor, strongest } from "./rules/rule.ts";

/**
 * Returns the hosts that a call and its commands may connect to; undefined for none. An address that is not public
 * (this machine, the local network, cloud metadata) must be named by a rule or by the call that the user approved:
 * neither a mode nor `*` covers it.
 */
export function mayConnect(
  approved: readonly PolicyPart[],
  { mode, tool }: Question,
  policy: Policy,
): Confinement["mayConnect"] {
  const hosts = new Set(approved.flatMap((part) => (part.kind === "connect" ? (part.host ?? []) : [])));
  const near = policy.hosts.filter((rule) => isFor(rule, tool));
  const counts = ({ effect }: HostRule) => effect === "deny" || mode !== "paranoid";
  const isAllowing = near.some((rule) => rule.effect === "allow" && counts(rule));
  if (mode !== "yolo" && hosts.size === 0 && !isAllowing) return undefined;

  const rulesFor = (name: string) =>
    strongest(near.filter((rule) => counts(rule) && rule.hosts.some((host) => matchSegment(host, name))));
  const isSpelled = (name: string) => {
    const { deny, wins } = rulesFor(name);
    return deny === undefined && wins?.kind === "connect" && wins.effect === "allow" && spells(wins, name);
  };
  const isNamed = (name: string) => isSpelled(name) || (hosts.has(name) && rulesFor(name).deny === undefined);
  // The owner of a name chooses its address, so only a rule that spells out the name lets it lead to this machine.
  const mayLeadHere = (name: string) => kindOfHost(name) === "loopback" || isSpelled(name);
  return (host, _port, leadingName) => {
    const strict = parseHost(host);
    const name = strict === undefined ? undefined : hostOf(strict);
    if (name === undefined) return false;
    const { deny, wins } = rulesFor(name);
    if (deny !== undefined) return false;
    const kind = kindOfHost(name);
    if (isNamed(name) || (kind === "loopback" && isNamed("localhost")))
      return kind !== "loopback" || leadingName === undefined || mayLeadHere(hostOf(leadingName) ?? "");
    if (kind !== undefined && kind !== "public") return false;
    // An allowed name may have any public address, unless a rule denies the address.
    return leadingName !== undefined || mode === "yolo" || wins?.effect === "allow";
  };
}

/** Returns the hosts for display: those that rules allow, as written, and those that this call names; "*" for any. */
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
