import { escapeGlob } from "../../text/glob.ts";
import { matchSegment, type NamePattern, parseSegments, type Segment } from "../../text/glob-segment.ts";
import { hostOf } from "../hosts.ts";
import { fold } from "../paths/fold.ts";
import { compilePath, matchNames, namesIn } from "../paths/path-pattern.ts";
import { levels, type Place, type RulePlace, type RuleSource } from "../policy.ts";
import { type Example, loosens, type ParsedRules, parseRules } from "./parse-rules.ts";
import type { RuleWord } from "./read-words.ts";
import type { Effect, ParsedRule, PathUse, ToolPattern } from "./rule.ts";
import { type CommandPattern, compileCommand, programName } from "./run-rule.ts";

/** All rules that hold, ready to be asked. */
export interface Policy {
  readonly place: Place;
  readonly sources: readonly RuleSource[];
  /** Lines that do not count because their file is not trusted. */
  readonly ignored: readonly RulePlace[];
  readonly examples: readonly Example[];
  readonly commands: NamedRules<CommandRule>;
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

interface RuleBase {
  readonly effect: Effect;
  /** Of two rules that say different things the higher wins. */
  readonly rank: number;
  /** How many characters it spells out: of one level, the rule that spells out more wins. */
  readonly spelledOut: number;
  readonly by: ToolMatcher | undefined;
  readonly because: string | undefined;
  readonly place: RulePlace;
}

export interface CommandRule extends RuleBase {
  readonly kind: "run";
  readonly pattern: CommandPattern;
}

export interface PathRule extends RuleBase {
  readonly kind: "path";
  readonly uses: ReadonlySet<PathUse>;
  /** What it is about, name by name from the root; folded, unless the rule loosens. */
  readonly patterns: readonly (readonly Segment[])[];
  /** The names of a directory that is not meant; none, if all are. */
  readonly spares: readonly string[];
}

interface HostRule extends RuleBase {
  readonly kind: "connect";
  readonly hosts: readonly NamePattern[];
}

interface ToolRule extends RuleBase {
  readonly kind: "use";
  readonly tool: ToolMatcher;
}

export type Rule = CommandRule | PathRule | HostRule | ToolRule;

type ToolMatcher = (tool: { readonly name: string; readonly server?: string | undefined }) => boolean;

/** Reads all sources and makes them ready. Throws `invalid-input` for a line that cannot be understood. */
export function compilePolicy(sources: readonly RuleSource[], place: Place): Policy {
  const ordered = [...sources].sort((one, other) => levelOf(one) - levelOf(other));
  const parsed = ordered.map((source) => compileSource(source, place));
  const rules = rank(parsed.flatMap((file) => file.rules));
  const paths = [...ownRules(place), ...rules.filter((rule) => rule.kind === "path")];
  return {
    place,
    sources,
    ignored: parsed.flatMap(({ ignored }) => ignored),
    examples: parsed.flatMap(({ examples }) => examples),
    commands: byName(
      rules.filter((rule) => rule.kind === "run"),
      ({ pattern }) => [programName(pattern)],
    ),
    paths: byName(paths, ({ patterns }) => patterns.map(lastLiteral)),
    pathsThrough: byDirectory(paths),
    hosts: rules.filter((rule) => rule.kind === "connect"),
    tools: rules.filter((rule) => rule.kind === "use"),
  };
}

interface CompiledSource extends Omit<ParsedRules, "rules"> {
  readonly place: Place;
  readonly rules: readonly Rule[];
}

/** Every answer of a person makes a policy anew, of which only the last source is new. */
const compiled = new WeakMap<RuleSource, CompiledSource>();

function compileSource(source: RuleSource, place: Place): CompiledSource {
  const before = compiled.get(source);
  if (before?.place.workspace === place.workspace && before.place.home === place.home) return before;
  const { rules, examples, ignored } = parseRules(source);
  const file = { place, examples, ignored, rules: rules.map((rule) => compileRule(rule, place)) };
  compiled.set(source, file);
  return file;
}

function levelOf({ level }: { readonly level: RuleSource["level"] }): number {
  return levels.indexOf(level);
}

/** The latest level wins, within it the rule that spells out more, then the later line. */
function rank(rules: readonly Rule[]): Rule[] {
  return rules
    .toSorted((one, other) => levelOf(one.place) - levelOf(other.place) || one.spelledOut - other.spelledOut)
    .map((rule, place) => ({ ...rule, rank: place }));
}

function compileRule({ effect, about, because, by, place: written }: ParsedRule, place: Place): Rule {
  const matcher = by && compileTool(by, effect);
  const base = (...words: readonly RuleWord[]) => {
    const spelled = spelledOut(by === undefined ? words : [...words, by.name]);
    return { effect, by: matcher, because, place: written, rank: 0, spelledOut: spelled };
  };
  switch (about.kind) {
    case "run":
      return { ...base(...about.words), kind: "run", pattern: compileCommand(about.words, place) };
    case "path": {
      const patterns = compilePath(about.glob.pattern, place, loosens(effect) ? "exact" : "folded");
      const spares = written.level === "built-in" ? holding(patterns, place) : [];
      return { ...base(about.glob), kind: "path", uses: usesOf(about.uses, effect), patterns, spares };
    }
    case "connect":
      return { ...base(about.host), kind: "connect", hosts: hostPatterns(about.host, effect) };
    case "use":
      return { ...base(about.tool.name), kind: "use", tool: compileTool(about.tool, effect) };
  }
}

/** What must not be written must not be deleted either; what may be written may not. */
function usesOf(uses: readonly PathUse[], effect: Effect): ReadonlySet<PathUse> {
  return new Set(uses.includes("write") && !loosens(effect) ? [...uses, "delete"] : uses);
}

/** The workspace, if it lies in a directory of the system: it stays writable. */
function holding(patterns: readonly (readonly Segment[])[], { workspace }: Place): readonly string[] {
  const names = namesIn(workspace).map(fold);
  return patterns.some((pattern) => pattern[0] !== "**" && matchNames(pattern, names, "within")) ? names : [];
}

/** What is spelled out to the end is more specific than what leaves a part open. */
function spelledOut(words: readonly RuleWord[]): number {
  const letters = words.reduce((sum, { pattern }) => {
    const literal = pattern.replace(/\\./gs, "_").replace(/[*?{},]|\[[^\]]*\]/g, "");
    return sum + literal.length;
  }, 0);
  return letters + (words.every(({ literal }) => literal !== undefined) ? 0.5 : 0);
}

/** What refuses a host refuses the hosts below it. */
function hostPatterns({ text }: RuleWord, effect: Effect): NamePattern[] {
  const host = escapeGlob(hostOf(text) ?? text).replaceAll("\\*", "*");
  return loosens(effect) ? [namePattern(host)] : [namePattern(host), namePattern(`*.${host}`)];
}

/** Only what refuses also means the tools of all servers when it names none. */
function compileTool({ name, server }: ToolPattern, effect: Effect): ToolMatcher {
  const named = namePattern(name.pattern);
  const from = server && namePattern(server.pattern);
  return (tool) => {
    if (!matchSegment(named, tool.name)) return false;
    if (from === undefined) return tool.server === undefined || !loosens(effect);
    return tool.server !== undefined && matchSegment(from, tool.server);
  };
}

/** A slash is nothing special in names of tools and hosts. */
function namePattern(pattern: string): NamePattern {
  const [first] = parseSegments(pattern.replaceAll("/", "?"));
  return first === undefined || first === "**" ? { tokens: ["*"], shape: { kind: "anything" } } : first;
}

/** Whatever else rules say, no tool reads or writes what Toolcrib keeps for itself. */
function ownRules(place: Place): PathRule[] {
  return place.own.map((directory) => ({
    kind: "path",
    effect: "secret",
    rank: Number.POSITIVE_INFINITY,
    spelledOut: directory.length,
    by: undefined,
    because: "it belongs to Toolcrib itself",
    place: { level: "built-in", name: "built-in", line: 0, text: `secret ${directory}` },
    uses: new Set(["read", "write", "delete"]),
    patterns: compilePath(escapeGlob(directory), place, "folded"),
    spares: [],
  }));
}

function lastLiteral(pattern: readonly Segment[]): string | undefined {
  const last = pattern.findLast((segment) => segment !== "**" && segment.shape.kind === "literal");
  return last === undefined || last === "**" || last.shape.kind !== "literal"
    ? undefined
    : fold(last.shape.text);
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
      for (const segment of pattern.slice(0, -1))
        if (segment !== "**" && segment.shape.kind === "literal")
          put(through, fold(segment.shape.text), rule);
  return through;
}

function put<Kind>(map: Map<string, Kind[]>, name: string, rule: Kind): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [rule]);
  else if (!list.includes(rule)) list.push(rule);
}
