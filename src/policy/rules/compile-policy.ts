import { oncePerObject } from "../../lib/once-per-object.ts";
import { builtInRules } from "../built-in-rules.ts";
import { type IndexedPaths, indexPaths, put } from "../paths/index-paths.ts";
import { levels, type PathContext, type RuleOrigin, type RuleSource } from "../policy.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { compileRule, ownRules, sparingWorkspace } from "./compile-rule.ts";
import { type Example, type ParsedRules, parseRules } from "./parse-rules.ts";
import { parsedBuiltInRules } from "./parsed-built-in-rules.ts";
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
interface NamedRules<Kind> {
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
  #commandRules: readonly CommandRule[] | undefined;
  #commands: NamedRules<CommandRule> | undefined;
  #unconfined: readonly CommandRule[] | undefined;
  #settings: Settings | undefined;
  #indexed: IndexedPaths | undefined;
  #hosts: readonly HostRule[] | undefined;
  #tools: readonly ToolRule[] | undefined;
  #asksAboutReads: boolean | undefined;

  constructor(sources: readonly RuleSource[], context: PathContext) {
    this.sources = sources;
    this.context = context;
    const ordered = [...sources].sort((one, other) => levelOf(one) - levelOf(other));
    this.#parsed = ordered.map((source) => parsedSources(source));
    this.#rules = this.#parsed.flatMap(({ rules }) => rules);
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
    return this.#indexedPaths().paths;
  }

  get pathsThrough(): IndexedPaths["pathsThrough"] {
    return this.#indexedPaths().pathsThrough;
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

  #indexedPaths(): IndexedPaths {
    this.#indexed ??= indexPaths([...ownRules(this.context), ...(this.#rulesAbout("path") as PathRule[])]);
    return this.#indexed;
  }

  #rulesAbout(kind: Rule["kind"]): readonly Rule[] {
    return this.#rules
      .flatMap(({ about }, number) => (about.kind === kind ? [this.#ruleAt(number)] : []))
      .sort((one, other) => one.rank - other.rank);
  }

  #ruleAt(number: number): Rule {
    const known = this.#compiled[number];
    if (known !== undefined) return known;
    const rule = compiledIn(this.context, this.#rules[number]!);
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

/** Compiles a rule again only for another home or workspace, because every answer of the user makes a policy. */
function compiledIn(context: PathContext, parsed: ParsedRule): Rule {
  const { home, workspace } = context;
  const before = compiled.get(parsed);
  if (before?.home === home && before.workspace === workspace) return before.rule;
  const rule = sparingWorkspace(compileRule(parsed, context), context);
  compiled.set(parsed, { home, workspace, rule });
  return rule;
}

const compiled = new WeakMap<
  ParsedRule,
  { readonly home: string; readonly workspace: string; readonly rule: Rule }
>();

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
