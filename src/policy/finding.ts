import type { Risk } from "../contract/access.ts";
import type { Question } from "./policy.ts";
import type { Rule } from "./rules/compile-rule.ts";

/** What the rules say of one part. */
export interface Finding {
  readonly risk: Risk;
  /** Holds in every mode. */
  readonly deny?: Because | undefined;
  /** A rule denies what the part may turn out to be. `aimed`: what is known of it points there. */
  readonly mayDeny?: (Because & { readonly aimed: boolean }) | undefined;
  /** The highest rule that asks or allows. */
  readonly wins?: Rule | undefined;
  /** Lets it run outside the sandbox, or where there is none. */
  readonly unconfined?: Rule | undefined;
  /** Why it is asked although the mode would let it pass. */
  readonly doubt?: string | undefined;
}

export interface Because {
  readonly rule: Rule;
  readonly reason: string;
}

/** Whether a rule is about calls of this tool. */
export function isFor({ by }: Rule, tool: Question["tool"]): boolean {
  return by === undefined || by(tool);
}

/** Any rule that denies, else the highest of those that ask or allow. */
export function strongest(rules: readonly Rule[]): Pick<Finding, "deny" | "wins"> {
  let deny: Rule | undefined;
  let wins: Rule | undefined;
  for (const rule of rules) {
    if (rule.effect === "deny") deny = deny === undefined || rule.rank > deny.rank ? rule : deny;
    else wins = wins === undefined || rule.rank > wins.rank ? rule : wins;
  }
  return deny === undefined ? { wins } : { deny: { rule: deny, reason: deny.because ?? "a rule denies it" } };
}
