import { contentHash } from "../../lib/bytes/content-hash.ts";
import { appendToPolicyFile, changePolicyFile, readPolicyFile } from "../../system/policy-files.ts";

/** The rules that one answer "always" added to those of a workspace. */
export interface Grant {
  readonly id: string;
  readonly rules: readonly string[];
  /** Milliseconds since 1970; null when the file does not say. */
  readonly grantedAt: number | null;
  /** The id of the call, or of the pending approval, that asked. */
  readonly askedBy: string | null;
  /** The first of its lines in the file, counted from 1. */
  readonly line: number;
}

/** Reads the grants of a workspace, oldest first. */
export function readGrants(file: string): readonly Grant[] {
  return parseGrants((readPolicyFile(file) ?? "").split("\n"));
}

/** Adds rules, with a comment that says when, and for which call, approval or program. */
export function addGrant(file: string, rules: readonly string[], askedBy: string): Promise<void> {
  const time = new Date().toISOString().slice(0, 16).replace("T", " ");
  return appendToPolicyFile(file, [`# ${time} UTC, asked for by ${askedBy}`, ...rules]);
}

/** Removes the rules of these grants, and the comments about them. Other lines stay as they are. */
export function revokeGrants(file: string, ids: ReadonlySet<string>): Promise<void> {
  return changePolicyFile(file, (text) => {
    const lines = text.split("\n");
    for (const grant of parseGrants(lines).toReversed())
      if (ids.has(grant.id)) lines.splice(grant.line - 1, lengthOf(grant));
    return lines.join("\n");
  });
}

/** The rules of an answer follow its comment. Rules without one are taken together, too. */
function parseGrants(lines: readonly string[]): readonly Grant[] {
  const grants: Grant[] = [];
  for (let at = 0; at < lines.length; ) {
    const asked = askedIn(lines[at]!);
    const first = asked === undefined ? at : at + 1;
    let end = first;
    while (end < lines.length && isRule(lines[end]!)) end += 1;
    if (end === first) at += 1;
    else {
      const rules = lines.slice(first, end).map((rule) => rule.trim());
      const { grantedAt = null, askedBy = null } = asked ?? {};
      const id = contentHash([askedBy, ...rules].join("\n")).slice(0, 8);
      grants.push({ id, rules, grantedAt, askedBy, line: at + 1 });
      at = end;
    }
  }
  return grants;
}

function lengthOf({ rules, askedBy }: Grant): number {
  return rules.length + (askedBy === null ? 0 : 1);
}

function isRule(line: string): boolean {
  return line.trim() !== "" && !line.trim().startsWith("#");
}

function askedIn(line: string): { readonly grantedAt: number; readonly askedBy: string } | undefined {
  const [, day, time, askedBy] =
    /^# (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC, asked for by (?:approval )?(\S+)$/.exec(line.trim()) ?? [];
  return askedBy === undefined ? undefined : { grantedAt: Date.parse(`${day}T${time}Z`), askedBy };
}
