import { isFor } from "./finding.ts";
import type { Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";

/** Whether a rule denies every call of a tool, whatever it would touch: `deny use shell.run`. */
export function deniesTool(tool: Question["tool"], { tools }: Pick<Policy, "tools">): boolean {
  return tools.some((rule) => rule.effect === "deny" && isFor(rule, tool) && rule.tool(tool));
}
