import type { Segment } from "../../lib/glob/glob-segment.ts";
import { fold, literalText } from "../paths/path-names.ts";
import { levels, type PathContext, type RuleOrigin, type RuleSource } from "../policy.ts";
import { compileRule, ownRules } from "./compile-rule.ts";
import { type Example, type ParsedRules, parseRules } from "./parse-rules.ts";
import type { CommandRule, HostRule, PathRule, Rule, ToolRule } from "./rule.ts";
import { compileSettings, type Settings } from "./settings.ts";

/** All compiled rules. */
export interface Policy {
  readonly context: PathContext;
  readonly sources: readonly RuleSource[];
  /** Lines that do not count because their file is not trusted. */
  readonly ignored: readonly RuleOrigin[];
  readonly examples: readonly Example[];
  readonly commands: NamedRules<CommandRule>;
  readonly unconfined: readonly CommandRule[];
  readonly settings: Settings;
  readonly paths: NamedRules<PathRule>;
  /** Path rules by the directories that they lead through. */
  readonly pathsThrough: ReadonlyMap<string, readonly PathRule[]>;
  readonly hosts: readonly HostRule[];
  readonly tools: readonly ToolRule[];
}

/** Rules by a name that must occur for them to matter, and those that always may. */
export interface NamedRules<Kind> {
  readonly named: ReadonlyMap<string, readonly Kind[]>;
  readonly others: readonly Kind[];
  readonly highestFirst: readonly Kind[];
}

/** Compiles all sources. Throws `invalid-input` for a line that cannot be understood. */
export function compilePolicy(sources: readonly RuleSource[], context: PathContext): Policy {
  const ordered = [...sources].sort((one, other) => levelOf(one) - levelOf(other));
  const parsed = ordered.map((source) => compileSource(source, context));
  const rules = rank(parsed.flatMap((file) => file.rules));
  const paths = [...ownRules(context), ...rules.filter((rule) => rule.kind === "path")];
  const commands = rules.filter((rule) => rule.kind === "run");
  return {
    context,
    sources,
    ignored: parsed.flatMap(({ ignored }) => ignored),
    examples: parsed.flatMap(({ examples }) => examples),
    commands: byName(
      commands.filter(({ effect }) => effect !== "unconfined"),
      ({ pattern }) => [pattern.kind === "class" ? undefined : pattern.program.name],
    ),
    unconfined: commands.filter(({ effect }) => effect === "unconfined"),
    settings: compileSettings(parsed.flatMap(({ settings }) => settings)),
    paths: byName(paths, ({ patterns }) => patterns.map((pattern) => literalsIn(pattern).at(-1))),
    pathsThrough: byDirectory(paths),
    hosts: rules.filter((rule) => rule.kind === "connect"),
    tools: rules.filter((rule) => rule.kind === "use"),
  };
}

interface CompiledSource extends Omit<ParsedRules, "rules"> {
  readonly context: PathContext;
  readonly rules: readonly Rule[];
}

/** Every answer of the user compiles a new policy, in which only the last source is new. */
const compiled = new WeakMap<RuleSource, CompiledSource>();

function compileSource(source: RuleSource, context: PathContext): CompiledSource {
  const before = compiled.get(source);
  if (before?.context.workspace === context.workspace && before.context.home === context.home) return before;
  const { rules, ...others } = parseRules(source);
  const file = { ...others, context, rules: rules.map((rule) => compileRule(rule, context)) };
  compiled.set(source, file);
  return file;
}

function levelOf({ level }: { readonly level: RuleSource["level"] }): number {
  return levels.indexOf(level);
}

/** The latest level wins, within it the rule that spells out more, then the later line. */
function rank(rules: readonly Rule[]): Rule[] {
  return rules
    .toSorted(
      (one, other) => levelOf(one.origin) - levelOf(other.origin) || one.spelledOut - other.spelledOut,
    )
    .map((rule, rank) => ({ ...rule, rank }));
}

function literalsIn(pattern: readonly Segment[]): readonly string[] {
  return pattern.flatMap((segment) => literalText(segment) ?? []).map(fold);
}

function byName<Kind>(
  rules: readonly Kind[],
  namesOf: (rule: Kind) => readonly (string | undefined)[],
): NamedRules<Kind> {
  const named = new Map<string, Kind[]>();
  const others: Kind[] = [];
  for (const rule of rules) {
    const names = new Set(namesOf(rule));
    if (names.has(undefined)) others.push(rule);
    else for (const name of names) put(named, name!, rule);
  }
  return { named, others, highestFirst: rules.toReversed() };
}

function byDirectory(rules: readonly PathRule[]): Map<string, PathRule[]> {
  const through = new Map<string, PathRule[]>();
  for (const rule of rules)
    for (const pattern of rule.patterns)
      for (const name of literalsIn(pattern.slice(0, -1))) put(through, name, rule);
  return through;
}

function put<Kind>(map: Map<string, Kind[]>, name: string, rule: Kind): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [rule]);
  else if (!list.includes(rule)) list.push(rule);
}
