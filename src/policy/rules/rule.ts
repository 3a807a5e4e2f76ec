import type { ToolRisk } from "../../contract/access.ts";
import type { NamePattern, Segment } from "../../lib/glob/glob-segment.ts";
import type { Question, RuleOrigin } from "../policy.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { RuleWord } from "./rule-words.ts";

/** One rule of a file, parsed but not yet bound to a workspace. */
export interface ParsedRule {
  readonly effect: Effect;
  readonly about: About;
  /** The tools to whose calls the rule applies; undefined for all. */
  readonly by: ToolPattern | undefined;
  /** The user's reason. */
  readonly because: string | undefined;
  readonly origin: RuleOrigin;
}

/**
 * `secret`, `protected` and `open` hold in every mode. `unconfined` runs a command outside the sandbox, if it may run.
 */
export type Effect = "allow" | "ask" | "deny" | "secret" | "protected" | "open" | "unconfined";

export type PathUse = "read" | "write" | "delete";

/** The name of the rules that are made from git settings. */
export const gitRulesName = "git settings";

export type About =
  | { readonly kind: "run"; readonly words: readonly RuleWord[] }
  | { readonly kind: "path"; readonly uses: readonly PathUse[]; readonly glob: RuleWord }
  | { readonly kind: "connect"; readonly host: RuleWord }
  | { readonly kind: "use"; readonly tool: ToolPattern; readonly definition: string | undefined };

export interface ToolPattern {
  readonly name: RuleWord;
  readonly server: RuleWord | undefined;
}

interface RuleBase {
  readonly effect: Effect;
  /** If two rules conflict, the higher rank wins. */
  readonly rank: number;
  /** The number of characters that the rule spells out. Within one level, the rule that spells out more wins. */
  readonly spelledOut: number;
  readonly by: ToolMatcher | undefined;
  readonly because: string | undefined;
  readonly origin: RuleOrigin;
}

export interface CommandRule extends RuleBase {
  readonly kind: "run";
  readonly pattern: CommandPattern;
}

export interface PathRule extends RuleBase {
  readonly kind: "path";
  readonly uses: ReadonlySet<PathUse>;
  readonly glob: string;
  /** The paths that it covers, name by name from the root; folded, unless the rule loosens. */
  readonly patterns: readonly (readonly Segment[])[];
  /** The names of a directory that the rule does not cover; empty if it covers all. */
  readonly spares: readonly string[];
}

export interface HostRule extends RuleBase {
  readonly kind: "connect";
  readonly hosts: readonly NamePattern[];
  readonly spelled: string;
}

export interface ToolRule extends RuleBase {
  readonly kind: "use";
  readonly tool: ToolMatcher;
  /** The hash of the definition that the tool must have; undefined for any. */
  readonly definition: string | undefined;
}

export type Rule = CommandRule | PathRule | HostRule | ToolRule;

export type ToolMatcher = (tool: { readonly name: string; readonly server?: string | undefined }) => boolean;

/** Returns whether rules of this effect only allow more. */
export function loosens(effect: Effect): boolean {
  return effect === "allow" || effect === "open" || effect === "unconfined";
}

/** The rules about one part. */
export interface RuleFinding {
  readonly risk: ToolRisk;
  /** The rule that denies the part in every mode. */
  readonly deny?: Because | undefined;
  /** A rule that denies what the part may become. `aimed` means that the known text of the part matches the rule. */
  readonly mayDeny?: (Because & { readonly aimed: boolean }) | undefined;
  /** The highest rule that asks or allows. */
  readonly wins?: Rule | undefined;
  /** The rule that lets the part run outside the sandbox, or without one. */
  readonly unconfined?: Rule | undefined;
  /** The reason why the part needs approval although the mode would allow it. */
  readonly doubt?: string | undefined;
}

export interface Because {
  readonly rule: Rule;
  readonly reason: string;
}

export function isFor({ by }: Rule, tool: Question["tool"]): boolean {
  return by === undefined || by(tool);
}

/** Returns a rule that denies, else the highest rule that asks or allows. */
export function strongest(rules: readonly Rule[]): Pick<RuleFinding, "deny" | "wins"> {
  let deny: Rule | undefined;
  let wins: Rule | undefined;
  for (const rule of rules) {
    if (rule.effect === "deny") deny = deny === undefined || rule.rank > deny.rank ? rule : deny;
    else wins = wins === undefined || rule.rank > wins.rank ? rule : wins;
  }
  return deny === undefined ? { wins } : { deny: { rule: deny, reason: deny.because ?? "a rule denies it" } };
}
