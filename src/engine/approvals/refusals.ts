import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { quoteForRule, ruleFlags } from "../../lib/text/rule-text.ts";
import { describePart } from "../../policy/decide.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { Decision, PolicyMode, PolicyVerdict } from "../../policy/policy.ts";
import type { ApprovalRequest } from "./approval-request.ts";

/** Returns the error of a call that a rule or plan mode denies. */
export function denied(decision: Decision): ToolError {
  if (decision.decisive.planned)
    return new ToolError("denied", `Denied: ${describe(decision)}`, {
      hint: "Plan mode is on. Read what you need, then reply with a plan that the user can accept.",
      forUser: { hint: "To carry out the plan: /plan accept" },
    });
  if (decision.decisive.outside !== undefined) return decision.decisive.outside;
  return new ToolError("denied", `Denied: ${describe(decision)}`, {
    hint: "Do not work around it. Continue without it, or ask the user to change the rule.",
    forUser: { hint: howToLift(decision) },
  });
}

interface Allowing extends Pick<ApprovalRequest, "grants" | "noSandbox"> {
  readonly mode?: PolicyMode;
}

/** Returns the error of a call that needs approval when the user cannot be asked. `grants` are rules that allow it. */
export function needsApproval(
  decision: Described,
  { grants, mode, noSandbox }: Allowing,
  request?: ApprovalRequest,
): ToolError {
  const why = noSandbox === undefined ? "" : ` No sandbox works here: ${noSandbox}`;
  return new ToolError("needs-approval", `This call needs approval: ${describe(decision)}`, {
    hint: `The user cannot be asked here. Continue without it, or tell the user that it needs a rule or another mode.${why}`,
    forUser: { hint: howToAllow(decision, grants, mode) + why },
    details: request && { kind: "approval-needed", request },
  });
}

/** Returns the error of a call whose request is stored. The answer counts for the next call exactly like this one. */
export function approvalPending(request: ApprovalRequest): ToolError {
  const { id, parts } = request;
  const needed = `This call needs approval: ${describe({ verdict: "ask", parts })}`;
  return new ToolError("needs-approval", needed, {
    hint: `Ask the user to run \`toolcrib approve ${id}\`. After that, repeat exactly this call.`,
    forUser: { hint: `To allow it, run: toolcrib approve ${id}` },
    details: { kind: "approval-needed", request },
  });
}

export function deniedByUser(decision: Decision, message: string | undefined): ToolError {
  const forUser = { message: `Refused: ${describe(decision)}`, hint: null };
  return message === undefined
    ? new ToolError("denied", `The user refused this call: ${describe(decision)}`, {
        hint: "Do not repeat it. Ask the user what to do instead.",
        forUser,
      })
    : new ToolError("denied", `The user refused this call and said: ${message}`, {
        hint: "Nothing was done.",
        forUser,
      });
}

/** Returns the error of a call that is no longer the one that was checked or approved. */
export function callChanged(): ToolError {
  return new ToolError("denied", "The call or its working directory changed after it was checked", {
    hint: "Nothing was done. Repeat the call.",
    forUser: { hint: "Nothing was done. Try again." },
    details: { kind: "changed-while-asked" },
  });
}

/** Returns the error of a call whose preview no longer shows what it would change. */
export function previewChanged(): ToolError {
  return new ToolError("stale", "The files of this call changed while it waited for approval", {
    hint: "Nothing was done. Read them again, then repeat the call.",
    forUser: { hint: "Nothing was done. Try again." },
    details: { kind: "changed-while-asked" },
  });
}

/** Returns the error of a call whose paths no longer lead to the files that were checked. */
export function pathsChanged(): ToolError {
  return new ToolError("stale", "While this call waited, another call changed where its paths lead", {
    hint: "Nothing was done. Check the paths, then repeat the call.",
    forUser: { hint: "Nothing was done. Try again." },
  });
}

export function couldNotAsk(cause: unknown): ToolError {
  if (cause instanceof ToolError && cause.code === "needs-approval") return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("needs-approval", `The user could not be asked: ${reason}`, {
    hint: "Nothing was done. Continue without this call, or repeat it when the user can answer.",
    forUser: {
      message: `Your approval could not be asked for: ${reason}`,
      hint: "Nothing was done. Try again.",
    },
    cause,
  });
}

export function unreadableAnswer(): ToolError {
  return new ToolError(
    "needs-approval",
    "The `approve` callback did not return { allow: true } or { allow: false }",
    {
      hint: "Nothing was done. Tell the user that the approval failed.",
      forUser: { hint: "Nothing was done. Fix the program that asks." },
    },
  );
}

type Described = Pick<Decision, "verdict" | "parts">;

/** Returns the hint to lift a denial. Another rule can lift only a path class and the block on cloud metadata. */
function howToLift({ parts }: Described): string {
  const rules = parts
    .filter(({ verdict }) => verdict === "deny")
    .map(({ part, rule }) => {
      if (part.kind === "connect" && rule === undefined)
        return `allow connect ${quoteForRule(part.host ?? "")}`;
      // Toolcrib's own files have rules without a line, which no other rule lifts.
      const isClass = rule !== undefined && rule.line > 0 && /^(?:secret|protected)\b/.test(rule.text);
      // Neither the root nor a path that only the shell knows can be opened.
      const canOpen = "target" in part && part.target.kind === "known" && part.path !== "/";
      return isClass && canOpen ? `open ${quoteForRule(part.path)}` : undefined;
    });
  if (rules.every((rule) => rule !== undefined)) return `To allow it, add ${ruleFlags(rules)}`;
  return "To allow it, change or remove that rule. To list all rules, run: toolcrib policy show";
}

function howToAllow({ parts }: Described, grants: readonly string[], mode: PolicyMode | undefined): string {
  if (mode === "yolo") return "To allow it, approve it on a terminal.";
  if (grants.length === 0) return "To allow it, approve it on a terminal, or add --mode yolo";
  const needsSandbox = parts.some(
    ({ verdict, bare, rule }) => verdict === "ask" && bare && rule === undefined,
  );
  const install = needsSandbox ? "install a sandbox (see: toolcrib doctor), or " : "";
  return `To allow it, approve it on a terminal, or ${install}add ${ruleFlags(grants)}`;
}

/** Describes the parts that decided, each with its rule and its source, so that the caller can keep the other parts. */
function describe({ verdict, parts }: Described): string {
  const actions = new Map<string, Set<string>>();
  for (const part of parts) {
    if (part.verdict !== verdict) continue;
    const { reason, rule } = part;
    const why = rule === undefined ? ` (${reason})` : `: ${reason} (${rule.text}, ${formatOrigin(rule)})`;
    actions.set(why, (actions.get(why) ?? new Set()).add(actionOf(part)));
  }
  return [...actions].map(([why, would]) => `it would ${list([...would])}${why}`).join("; ");
}

const maxActions = 5;

function list(actions: readonly string[]): string {
  const more = actions.length - maxActions;
  return [...actions.slice(0, maxActions), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const maxChars = 300;

/** Describes a part on one line, whatever the command or path contains. */
function actionOf({ part }: PolicyVerdict): string {
  const action = printableLine(describePart(part));
  return action.length <= maxChars ? action : `${action.slice(0, maxChars)}…`;
}
