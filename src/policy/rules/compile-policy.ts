import type { Segment } from "../../lib/glob/glob-segment.ts";
import { NameIndex } from "../paths/name-index.ts";
import { fold, literalText } from "../paths/path-names.ts";
import { levels, type PathContext, type RuleOrigin, type RuleSource } from "../policy.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { compileRule, ownRules, sparingWorkspace } from "./compile-rule.ts";
import { type Example, type ParsedRules, parseRules } from "./parse-rules.ts";
import type { CommandRule, HostRule, ParsedRule, PathRule, Rule, ToolRule } from "./rule.ts";
import { compileSettings, type Settings } from "./settings.ts";

/** All compiled rules. */
export interface Policy {
  readonly context: PathContext;
  readonly sources: readonly RuleSource[];
  /** Lines that are ignored because their file is not trusted. */
  readonly ignored: readonly RuleOrigin[];
  readonly examples: readonly Example[];
  readonly commands: NamedRules<CommandRule>;
  readonly unconfined: readonly CommandRule[];
  readonly settings: Settings;
  readonly paths: PathRules;
  /** Path rules by the directories that they lead through. */
  readonly pathsThrough: ReadonlyMap<string, readonly PathRule[]>;
  readonly hosts: readonly HostRule[];
  readonly tools: readonly ToolRule[];
}

/** Rules by a name that must occur for them to apply, and those that may always apply. */
export interface NamedRules<Kind> {
  readonly named: ReadonlyMap<string, readonly Kind[]>;
  readonly others: readonly Kind[];
  readonly highestFirst: readonly Kind[];
}

interface PathRules {
  readonly highestFirst: readonly PathRule[];
  /** Made on first use. */
  readonly byName: NameIndex;
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
      ({ pattern }) => programsOf(pattern),
    ),
    unconfined: commands.filter(({ effect }) => effect === "unconfined"),
    settings: compileSettings(parsed.flatMap(({ settings }) => settings)),
    paths: indexed(paths),
    pathsThrough: byDirectory(paths),
    hosts: rules.filter((rule) => rule.kind === "connect"),
    tools: rules.filter((rule) => rule.kind === "use"),
  };
}

function indexed(rules: readonly PathRule[]): PathRules {
  let index: NameIndex | undefined;
  return {
    highestFirst: rules.toReversed(),
    get byName() {
      index ??= new NameIndex(rules);
      return index;
    },
  };
}

/** Returns the programs that a rule is about; undefined stands for any program. */
function programsOf(pattern: CommandPattern): readonly (string | undefined)[] {
  if (pattern.kind === "class") return [undefined];
  return [pattern.program.name, ...(pattern.usual ? programsOf(pattern.usual) : [])];
}

interface CompiledSource extends Omit<ParsedRules, "rules"> {
  readonly rules: readonly Rule[];
}

/** The parsed sources, cached because every answer of the user compiles a policy in which only one source is new. */
const parsedSources = new WeakMap<RuleSource, ParsedRules>();

function compileSource(source: RuleSource, context: PathContext): CompiledSource {
  const parsed = parsedSources.get(source) ?? parseRules(source);
  parsedSources.set(source, parsed);
  return {
    ...parsed,
    rules: parsed.rules.map((rule) => sparingWorkspace(compileOnce(rule, context), context)),
  };
}

interface BoundRule {
  readonly rule: Rule;
  readonly home: string;
  /** The workspace; undefined when the rule means the same in every workspace. */
  readonly workspace: string | undefined;
}

const boundRules = new WeakMap<ParsedRule, BoundRule>();

/** Compiles a rule again only for another home, or for another workspace if its meaning depends on it. */
function compileOnce(parsed: ParsedRule, context: PathContext): Rule {
  const before = boundRules.get(parsed);
  if (before?.home === context.home && (before.workspace ?? context.workspace) === context.workspace)
    return before.rule;
  let workspace: string | undefined;
  const observed: PathContext = {
    ...context,
    get workspace() {
      workspace = context.workspace;
      return workspace;
    },
  };
  const rule = compileRule(parsed, observed);
  boundRules.set(parsed, { rule, home: context.home, workspace });
  return rule;
}

function levelOf({ level }: { readonly level: RuleSource["level"] }): number {
  return levels.indexOf(level);
}

/**
 * Orders rules by precedence: the stronger level wins, within it the rule that spells out more, then the later line.
 */
function rank(rules: readonly Rule[]): Rule[] {
  return rules
    .toSorted(
      (one, other) => levelOf(one.origin) - levelOf(other.origin) || one.spelledOut - other.spelledOut,
    )
    .map((rule, rank) => ({ ...rule, rank }));
}

const literals = new WeakMap<readonly Segment[], readonly (string | undefined)[]>();

/** Returns the folded name that each segment spells out. */
function literalsIn(pattern: readonly Segment[]): readonly (string | undefined)[] {
  const known = literals.get(pattern);
  if (known !== undefined) return known;
  const names = pattern.map((segment) => {
    const text = literalText(segment);
    return text === undefined ? undefined : fold(text);
  });
  literals.set(pattern, names);
  return names;
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
      for (const name of literalsIn(pattern).slice(0, -1)) if (name !== undefined) put(through, name, rule);
  return through;
}

function put<Kind>(map: Map<string, Kind[]>, name: string, rule: Kind): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [rule]);
  else if (!list.includes(rule)) list.push(rule);
}
