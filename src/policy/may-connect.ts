import type { Confinement } from "../contract/confinement.ts";
import { matchSegment } from "../lib/glob/glob-segment.ts";
import { parseHost } from "../lib/net/parse-host.ts";
import { hostOf, kindOfHost, spells } from "./hosts.ts";
import type { Decision, Part, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { type HostRule, isFor, strongest } from "./rules/rule.ts";

/**
 * Which hosts a call and its commands may reach; undefined for none. An address that is not on the internet (this machine,
 * the network around it, a cloud's metadata) must be named by a rule, or by the call that a person has approved: neither a
 * mode nor `*` means it.
 */
export function mayConnect(
  approved: readonly Part[],
  { mode, tool }: Question,
  policy: Policy,
): Confinement["mayConnect"] {
  const hosts = new Set(approved.flatMap((part) => (part.kind === "connect" ? (part.host ?? []) : [])));
  const near = policy.hosts.filter((rule) => isFor(rule, tool));
  const counts = ({ effect }: HostRule) => effect === "deny" || mode !== "paranoid";
  const isAllowing = near.some((rule) => rule.effect === "allow" && counts(rule));
  if (mode !== "yolo" && hosts.size === 0 && !isAllowing) return undefined;

  const said = (name: string) =>
    strongest(near.filter((rule) => counts(rule) && rule.hosts.some((host) => matchSegment(host, name))));
  const isSpelled = (name: string) => {
    const { deny, wins } = said(name);
    return deny === undefined && wins?.kind === "connect" && wins.effect === "allow" && spells(wins, name);
  };
  const isNamed = (name: string) => isSpelled(name) || (hosts.has(name) && said(name).deny === undefined);
  // Whoever owns a name chooses where it leads: that this is our own machine, a rule has to say of the name.
  const mayLeadHere = (name: string) => kindOfHost(name) === "loopback" || isSpelled(name);
  return (host, _port, leadingName) => {
    const strict = parseHost(host);
    const name = strict === undefined ? undefined : hostOf(strict);
    if (name === undefined) return false;
    const { deny, wins } = said(name);
    if (deny !== undefined) return false;
    const kind = kindOfHost(name);
    if (isNamed(name) || (kind === "loopback" && isNamed("localhost")))
      return kind !== "loopback" || leadingName === undefined || mayLeadHere(hostOf(leadingName) ?? "");
    if (kind !== undefined && kind !== "public") return false;
    // A name that is let may be anywhere on the internet, but where a rule denies it.
    return leadingName !== undefined || mode === "yolo" || wins?.effect === "allow";
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
