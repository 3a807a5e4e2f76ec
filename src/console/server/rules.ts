import { ToolError } from "../../contract/error.ts";
import { addGrant, readGrants, revokeGrants } from "../../engine/approvals/grants.ts";
import { parseRules } from "../../policy/rules/parse-rules.ts";
import { policyFiles } from "../../system/policy-files.ts";
import type { AddRulesRequest, GrantItem, RevokeRequest } from "../api.ts";

/** Returns the rules that the user has added to those of a workspace. */
export function listGrants(config: string, workspace: string): readonly GrantItem[] {
  return readGrants(policyFiles(config, workspace).granted).map(({ line, rules, grantedAt, askedBy }) => ({
    line,
    rules,
    grantedAt,
    askedBy,
  }));
}

/** Adds rules to those of a workspace. They hold at once, also for sessions that are open. */
export async function addRules(
  config: string,
  workspace: string,
  { rules }: Pick<AddRulesRequest, "rules">,
): Promise<void> {
  checkRules(rules);
  await addGrant(policyFiles(config, workspace).granted, rules, "console");
}

/** Throws `invalid-input` for anything that is not a rule in one line: a faulty file would stop every call. */
export function checkRules(rules: readonly string[]): void {
  for (const text of rules) {
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text.trim() === "" || text.trim().startsWith("#"))
      throw new ToolError("invalid-input", "A rule is one line of text.", {
        hint: "For example: allow run npm test",
      });
    parseRules({ level: "granted", name: "new rule", text });
  }
}

/** Removes grants. Each must still be at its line with exactly these rules. */
export async function revokeRules(
  config: string,
  workspace: string,
  { grants }: Pick<RevokeRequest, "grants">,
): Promise<void> {
  const { granted } = policyFiles(config, workspace);
  const found = readGrants(granted);
  const ids = grants.map(({ line, rules }) => {
    const grant = found.find((one) => one.line === line && isSame(one.rules, rules));
    if (grant === undefined)
      throw new ToolError("stale", "These rules have changed meanwhile.", { hint: "Look at them again." });
    return grant.id;
  });
  await revokeGrants(granted, new Set(ids));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((rule, at) => rule === other[at]);
}
