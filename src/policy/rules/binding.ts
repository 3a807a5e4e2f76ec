import { quoteForRule } from "../../lib/text/rule-text.ts";
import type { SimpleCommand } from "../commands/analysis.ts";
import type { CodeRun } from "../policy.ts";

/** The pieces of program text that a rule is bound to, with their hashes: `while Makefile=…`. */
export type Binding = ReadonlyMap<string, string>;

/** Identifies a command among those of a call: the same words in the same directory run the same code. */
export function codeKey({ directory, words }: SimpleCommand): string {
  return JSON.stringify([directory, ...words.map(({ value, text }) => value ?? { text })]);
}

/** The end of a rule that binds it to the program text as it is now; "" if the command names none. */
export function bindingText({ pieces }: CodeRun): string {
  const present = [...pieces].filter(([, hash]) => hash !== "none");
  const bound = present.length > 0 ? present : [...pieces].slice(0, 1);
  return bound
    .map(([name, hash], at) => `${at === 0 ? " while" : ""} ${quoteForRule(`${name}=${hash}`)}`)
    .join("");
}

/** Reads one condition after `while`; undefined if it is not one. */
export function readCondition(text: string): readonly [string, string] | undefined {
  const [, name, hash] = /^(.+)=([0-9a-f]{32}|none|unreadable)$/s.exec(text) ?? [];
  return name === undefined || hash === undefined ? undefined : [name, hash];
}

/** A rule without its binding, as a user would write it. */
export function withoutBinding(rule: string): string {
  return rule.replace(/ while \S.*(?= by )/s, "");
}

/** The pieces that a rule is bound to and that have changed; empty if the rule applies. */
export function changedPieces(bound: Binding, now: CodeRun | undefined): readonly string[] {
  if (now?.rewritten !== undefined) return [now.rewritten];
  const names = new Set([...bound.keys(), ...(now?.pieces.keys() ?? [])]);
  return [...names].filter((name) => (bound.get(name) ?? "none") !== (now?.pieces.get(name) ?? "none"));
}

/** Why an approval that the user gave before does not count. */
export function lapseReason(changed: readonly string[], now: CodeRun | undefined): string {
  if (now?.rewritten !== undefined)
    return `the same call may change ${describePiece(now.rewritten)} before it runs`;
  const [first, ...more] = changed.map(describePiece);
  if (more.length === 0) return `${first} changed since you approved it`;
  return `${[first, ...more.slice(0, -1)].join(", ")} and ${more.at(-1)} changed since you approved them`;
}

/** The pieces that approvals of a command are bound to, for the user. */
export function describePieces({ pieces }: CodeRun): readonly string[] {
  return [...pieces].filter(([, hash]) => hash !== "none").map(([name]) => describePiece(name));
}

function describePiece(name: string): string {
  const [, file, script] = /^((?:.*\/)?package\.json):(.+)$/s.exec(name) ?? [];
  return file === undefined ? name : `the ${script} script of ${file}`;
}
