import { ToolError, type ToolErrorOptions } from "../contract/error.ts";
import type { PathRefusal } from "../contract/guard.ts";
import { quoteForRule, ruleFlags } from "./text/rule-text.ts";

/** The error for a path that the guard refuses. Searches skip such files and report that. */
export class RefusedPath extends ToolError {
  /** Takes the caller's spelling of the path, or of a folder above it, and the real path, relative to the workspace. */
  constructor(given: string, path: string, refusal: PathRefusal) {
    super("denied", `${subject(given, path)} ${refusal.reason} (${refusal.rule})`, hintsFor(path, refusal));
  }
}

function subject(given: string, path: string): string {
  if (given === path || given.endsWith(`/${path}`)) return given;
  return `${given} ${path.startsWith(`${given}/`) ? "holds" : "leads to"} ${path}, which`;
}

function hintsFor(path: string, { rule, isFinal }: PathRefusal): ToolErrorOptions {
  if (isFinal) return { hint: "Do not work around it. Continue without it.", forUser: { hint: null } };
  if (/^(?:secret|protected)\b/.test(rule)) return hintsToOpen(path);
  return {
    hint: "Do not work around it. Continue without it, or ask the user to change the rule.",
    forUser: {
      hint: "To allow it, change or remove that rule. To list all rules, run: toolcrib policy show",
    },
  };
}

/** Returns the hints for a secret or protected path, which name the rule that opens it. */
export function hintsToOpen(path: string): ToolErrorOptions {
  const rule = `open ${quoteForRule(path)}`;
  return {
    hint: `Do not work around it. Continue without it, or ask the user to add the rule: ${rule}`,
    forUser: { hint: `To allow it, add ${ruleFlags([rule])}` },
  };
}
