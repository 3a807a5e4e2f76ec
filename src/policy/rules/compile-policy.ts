import { boundedMemo } from "../../lib/bounded-cache.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import { builtInRules } from "../built-in-rules.ts";
import { byDirectory, type IndexedPaths, indexNames, put } from "../paths/index-paths.ts";
import { maxRemembered, NameIndex } from "../paths/name-index.ts";
import { levels, type PathContext, type RuleOrigin, type RuleSource } from "../policy.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { compileRule, ownRules, sparingWorkspace } from "./compile-rule.ts";
import { type Example, type ParsedRules, parseRules } from "./parse-rules.ts";
import { filedBuiltInRules, parsedBuiltInRules } from "./parsed-built-in-rules.ts";
import type { CommandRule, HostRule, ParsedRule, PathRule, Rule, ToolRule } from "./rule.ts";
import { compileSettings, type Settings } from "./settings.ts";

/** All compiled rules. Each kind is compiled on first use, because most calls need only one. */
export interface Policy extends IndexedPaths {
  readonly context: PathContext;
  readonly sources: readonly RuleSource[];
  /** Lines that are ignored because their file is not trusted. */
  readonly ignored: readonly RuleOrigin[];
  readonly examples: readonly Example[];
  readonly commands: NamedRules<CommandRule>;
  readonly unconfined: readonly CommandRule[];
  readonly settings: Settings;
  readonly hosts: readonly HostRule[];
  readonly tools: readonly ToolRule[];
  /** Whether a rule asks before reads, or is about the reads of some tools only. */
  readonly asksAboutReads: boolean;
}

/** Rules by a name that must occur for them to apply, and those that may always apply. */
export interface NamedRules<Kind> {
  readonly named: ReadonlyMap<string, readonly Kind[]>;
  readonly others: readonly Kind[];
  readonly highestFirst: readonly Kind[];
}

/** Parses all sources. Throws `invalid-input` for a line that cannot be understood. */
export function compilePolicy(sources: readonly RuleSource[], context: PathContext): Policy {
  return new CompiledPolicy(sources, context);
}

class CompiledPolicy implements Policy {
  readonly sources: readonly RuleSource[];
  readonly context: PathContext;
  /** Weakest level first. */
  readonly #parsed: readonly ParsedRules[];
  /** All rules of all sources. */
  readonly #rules: readonly ParsedRule[];
  readonly #compiled: Rule[] = [];
  readonly #compile: (parsed: ParsedRule) => Rule;
  #commandRules: readonly CommandRule[] | undefined;
  #commands: NamedRules<CommandRule> | undefined;
  #unconfined: readonly CommandRule[] | undefined;
  #settings: Settings | undefined;
  #pathRules: readonly PathRule[] | undefined;
  #paths: IndexedPaths["paths"] | undefined;
  #pathsThrough: ReadonlyMap<string, readonly PathRule[]> | undefined;
  #hosts: readonly HostRule[] | undefined;
  #tools: readonly ToolRule[] | undefined;
  #asksAboutReads: boolean | undefined;

  constructor(sources: readonly RuleSource[], context: PathContext) {
    this.sources = sources;
    this.context = context;
    const ordered = [...sources].sort((one, other) => levelOf(one) - levelOf(other));
    this.#parsed = ordered.map((source) => parsedSources(source));
    this.#rules = this.#parsed.flatMap(({ rules }) => rules);
    this.#compile = compileOnceIn(context);
  }

  get ignored(): readonly RuleOrigin[] {
    return this.#parsed.flatMap(({ ignored }) => ignored);
  }

  get examples(): readonly Example[] {
    return this.#parsed.flatMap(({ examples }) => examples);
  }

  get commands(): NamedRules<CommandRule> {
    this.#commands ??= byName(
      this.#allCommands().filter(({ effect }) => effect !== "unconfined"),
      ({ pattern }) => programsOf(pattern),
    );
    return this.#commands;
  }

  get unconfined(): readonly CommandRule[] {
    this.#unconfined ??= this.#allCommands().filter(({ effect }) => effect === "unconfined");
    return this.#unconfined;
  }

  get settings(): Settings {
    this.#settings ??= compileSettings(this.#parsed.flatMap(({ settings }) => settings));
    return this.#settings;
  }

  get paths(): IndexedPaths["paths"] {
    this.#paths ??= this.#indexPaths();
    return this.#paths;
  }

  get pathsThrough(): ReadonlyMap<string, readonly PathRule[]> {
    this.#pathsThrough ??= byDirectory(this.#allPaths());
    return this.#pathsThrough;
  }

  get hosts(): readonly HostRule[] {
    this.#hosts ??= this.#rulesAbout("connect") as HostRule[];
    return this.#hosts;
  }

  get tools(): readonly ToolRule[] {
    this.#tools ??= this.#rulesAbout("use") as ToolRule[];
    return this.#tools;
  }

  get asksAboutReads(): boolean {
    this.#asksAboutReads ??= this.#rules.some(
      ({ about, effect, by }) =>
        about.kind === "path" && about.uses.includes("read") && (effect === "ask" || by !== undefined),
    );
    return this.#asksAboutReads;
  }

  #allCommands(): readonly CommandRule[] {
    this.#commandRules ??= this.#rulesAbout("run") as CommandRule[];
    return this.#commandRules;
  }

  #allPaths(): readonly PathRule[] {
    this.#pathRules ??= [...ownRules(this.context), ...(this.#rulesAbout("path") as PathRule[])];
    return this.#pathRules;
  }

  /** Finds built-in rules by the index that the build has computed, so that few of them are compiled. */
  #indexPaths(): IndexedPaths["paths"] {
    const first = this.#parsed.indexOf(parsedBuiltInRules);
    const start = this.#parsed.slice(0, first).reduce((sum, { rules }) => sum + rules.length, 0);
    const end = first < 0 ? start : start + parsedBuiltInRules.rules.length;
    const pathAt = (number: number) => this.#ruleAt(number) as PathRule;
    const others = this.#rules.flatMap(({ about }, number) =>
      about.kind !== "path" || (number >= start && number < end) ? [] : [pathAt(number)],
    );
    const indexes = [indexNames([...ownRules(this.context), ...others])];
    if (first >= 0) indexes.push(new NameIndex(filedBuiltInRules, (number) => pathAt(start + number)));
    const allPaths = () => this.#allPaths();
    let highestFirst: readonly PathRule[] | undefined;
    return {
      get highestFirst() {
        highestFirst ??= allPaths().toReversed();
        return highestFirst;
      },
      byName: { find: boundedMemo(maxRemembered, (name) => indexes.flatMap((index) => index.find(name))) },
    };
  }

  #rulesAbout(kind: Rule["kind"]): readonly Rule[] {
    return this.#rules
      .flatMap(({ about }, number) => (about.kind === kind ? [this.#ruleAt(number)] : []))
      .sort((one, other) => one.rank - other.rank);
  }

  #ruleAt(number: number): Rule {
    const known = this.#compiled[number];
    if (known !== undefined) return known;
    const rule = sparingWorkspace(this.#compile(this.#rules[number]!), this.context);
    const ranked = { ...rule, rank: rankOf(rule, number) };
    this.#compiled[number] = ranked;
    return ranked;
  }
}

/** Returns the programs that a rule is about; undefined stands for any program. */
function programsOf(pattern: CommandPattern): readonly (string | undefined)[] {
  if (pattern.kind === "class") return [undefined];
  return [pattern.program.name, ...(pattern.usual ? programsOf(pattern.usual) : [])];
}

/** Returns a parsed source. Cached, because every answer of the user compiles a policy in which only one source is new. */
const parsedSources = oncePerObject(
  (source: RuleSource): ParsedRules => (source === builtInRules ? parsedBuiltInRules : parseRules(source)),
);

interface BoundRule {
  readonly rule: Rule;
  readonly home: string;
  /** The workspace; undefined when the rule means the same in every workspace. */
  readonly workspace: string | undefined;
}

const boundRules = new WeakMap<ParsedRule, BoundRule>();

/** Compiles a rule again only for another home, or for another workspace if its meaning depends on it. */
function compileOnceIn(context: PathContext): (parsed: ParsedRule) => Rule {
  let workspace: string | undefined;
  const observed: PathContext = {
    ...context,
    get workspace() {
      workspace = context.workspace;
      return workspace;
    },
  };
  return (parsed) => {
    const before = boundRules.get(parsed);
    if (before?.home === context.home && (before.workspace ?? context.workspace) === context.workspace)
      return before.rule;
    workspace = undefined;
    const rule = compileRule(parsed, observed);
    boundRules.set(parsed, { rule, home: context.home, workspace });
    return rule;
  };
}

function levelOf({ level }: { readonly level: RuleSource["level"] }): number {
  return levelNumbers.get(level)!;
}

const levelNumbers = new Map(levels.map((level, number) => [level, number]));

/** The stronger level wins, within it the rule that spells out more, then the later line. */
function rankOf({ origin, spelledOut }: Rule, number: number): number {
  // A whole number of halves counts.
  const spelled = 2 * Math.min(spelledOut, longestSpelled);
  return (levelOf(origin) * 4 * longestSpelled + spelled) * mostRules + number;
}

const longestSpelled = 2 ** 20;
const mostRules = 2 ** 22;

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
