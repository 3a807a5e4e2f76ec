import type { Tree } from "web-tree-sitter";
import type { CodeSymbol, Occurrence, Occurrences, Outline } from "../../contract/code.ts";
import { lineOf, lineStartsOf } from "../lines.ts";
import { meaningOf, type NameLocation, nameLocations } from "./meaning-of.ts";
import { scopeRulesOf } from "./rules-of.ts";
import { type Definition, kinds, type Meaning, type ScopeRules, type Step } from "./scope-rules.ts";

export function occurrencesOf(tree: Tree, text: string, name: string, outline: Outline): Occurrences {
  const { language } = outline;
  const rules = scopeRulesOf(language);
  const words = name === "" ? [] : nameLocations(name, tree, text);
  const lineStarts = lineStartsOf(text);
  const position = ({ start, end }: NameLocation) => {
    const line = lineOf(lineStarts, start);
    return { start, end, line, column: 1 + Array.from(text.slice(lineStarts[line - 1], start)).length };
  };
  if (rules === undefined) {
    const found = words.filter(isCode).map(position);
    const defined = definedBy(outline, name, found);
    const places = found.map((location): Occurrence => {
      const role = defined.has(location.start) ? "definition" : "reference";
      return { ...location, role, binding: undefined };
    });
    return { language, scoped: false, places };
  }
  const understood = words.flatMap((location): Understood[] => {
    const found = meaningOf(location, rules);
    return found === undefined ? [] : [{ location, ...found }];
  });
  const bindings = bindingsOf(understood, rules);
  const places = understood.map(({ location, meaning }, index) => ({
    ...position(location),
    ...described(meaning, bindings[index]),
  }));
  return { language, scoped: true, places };
}

type Described = Omit<Occurrence, "start" | "end" | "line" | "column">;

function described(meaning: Meaning, binding: number | "unclear" | undefined): Described {
  if (typeof meaning === "string") {
    const [unbound, role = "reference"] = meaning.split(" ") as [Occurrence["unbound"], Occurrence["role"]?];
    return { role, binding: undefined, unbound };
  }
  if (binding === "unclear") return { role: meaning.is, binding: undefined, unbound: "unclear" };
  const { is: role, around } = meaning;
  const unbound = binding === undefined ? ("outside" as const) : undefined;
  if (role === "reference") return { role, binding, unbound, around };
  const { isPublic, isArgument, isMember, isPathed } = meaning;
  return { role, binding, unbound, around, isPublic, isArgument, isMember, isPathed };
}

/** Returns whether a word is a name outside comments, as the grammar of a language without rules says. */
function isCode({ path, isLeaf, isKeyword }: NameLocation): boolean {
  if (!isLeaf || isKeyword || path.steps.some(({ type }) => type.includes("comment"))) return false;
  return nameLike.test(path.steps.at(-1)!.type);
}

const nameLike =
  /ident|name|constant|variable|symbol|atom|word|field|property|label|type|selector|tag|key|function|module|plain_value/;

/** Returns the starts of the names of symbols. The first name on a symbol's line is its own. */
function definedBy(
  { symbols }: Outline,
  name: string,
  found: readonly { readonly start: number; readonly line: number }[],
): ReadonlySet<number | undefined> {
  const named = symbols.filter((symbol) => symbol.name.endsWith(name));
  const firstIn = ({ line, declarationStart }: CodeSymbol) =>
    found.find((location) => location.line === line && location.start >= declarationStart);
  return new Set(named.map((symbol) => firstIn(symbol)?.start));
}

interface Understood {
  readonly location: NameLocation;
  readonly meaning: Meaning;
  readonly at: number;
}

function bindingsOf(
  names: readonly Understood[],
  rules: ScopeRules,
): readonly (number | "unclear" | undefined)[] {
  const known = new Known(rules);
  for (const { location, meaning, at } of names) {
    if (typeof meaning === "object" && meaning.is === "reference" && meaning.declares)
      known.declare(location, meaning.declares, at);
  }
  for (const { location, meaning, at } of names) {
    if (typeof meaning === "object" && meaning.is === "definition") known.add(location, meaning, at);
  }
  return names.map(({ location, meaning }) => {
    if (typeof meaning === "string") return undefined;
    const { yieldsTo = 0 } = meaning as Partial<Definition>;
    if (yieldsTo !== 0 && known.find(location, yieldsTo) !== undefined) return "unclear";
    return known.at(location.start) ?? known.find(location, meaning.kind);
  });
}

interface Binding {
  readonly number: number;
  kind: number;
  from: number;
  until: number;
}

class Known {
  readonly #rules: ScopeRules;
  readonly #inScope = new Map<number, Map<number, Binding>>();
  readonly #byStart = new Map<number, Binding>();
  /** Scopes in which the name belongs to the file, or to an outer scope. */
  readonly #declared = new Map<number, "file" | "outer">();
  #count = 0;

  constructor(rules: ScopeRules) {
    this.#rules = rules;
  }

  declare({ path }: NameLocation, where: "file" | "outer", at: number): void {
    this.#declared.set(this.#scopeOf(path.steps, { in: "function" }, at).id, where);
  }

  add({ start, path }: NameLocation, definition: Definition, at: number): void {
    const { kind, from = 0, until = Number.POSITIVE_INFINITY, renews } = definition;
    const nearest = this.#scopeOf(path.steps, definition, at);
    const declared = this.#declared.get(nearest.id);
    // This assigns to a name of an outer scope, which is resolved when all definitions are known.
    if (declared === "outer") return;
    const scope = declared === "file" ? path.steps[0]! : nearest;
    const bindings = this.#inScope.get(scope.id) ?? new Map<number, Binding>();
    this.#inScope.set(scope.id, bindings);
    const key = renews ? path.steps[at]!.id : kind & ~(kinds.any | kinds.constant);
    const known = bindings.get(key) ?? { number: this.#count++, kind: 0, from, until };
    known.kind |= kind;
    known.from = Math.min(known.from, from);
    known.until = Math.max(known.until, until);
    bindings.set(key, known);
    this.#byStart.set(start, known);
  }

  at(start: number): number | undefined {
    return this.#byStart.get(start)?.number;
  }

  find({ start, path }: NameLocation, kind: number): number | "unclear" | undefined {
    const { scopes, isSeenBy, hides, clouds } = this.#rules;
    let seen = kind;
    let isClouded = false;
    let hasLeftFunction = false;
    for (let index = path.steps.length - 1; index >= 0; index -= 1) {
      const step = path.steps[index]!;
      const scope = index === 0 ? "function" : scopes[step.type];
      if (scope === undefined || (index > 0 && isSeenBy?.(path, index) === false)) continue;
      if (this.#declared.get(step.id) === "file") return this.#latest(path.steps[0]!.id, start, seen)?.number;
      const found = scope === "closed" && hasLeftFunction ? undefined : this.#latest(step.id, start, seen);
      if (found !== undefined) return isClouded ? "unclear" : found.number;
      isClouded ||= clouds?.(path, index) ?? false;
      if (this.#declared.get(step.id) !== "outer") seen &= ~(hides?.(path, index) ?? 0);
      if (scope === "function" || scope === "clause") hasLeftFunction = true;
    }
    return undefined;
  }

  #latest(scope: number, start: number, kind: number): Binding | undefined {
    let latest: Binding | undefined;
    for (const binding of this.#inScope.get(scope)?.values() ?? []) {
      const holds = (binding.kind & kind) !== 0 && binding.from <= start && start < binding.until;
      if (holds && (latest === undefined || binding.from >= latest.from)) latest = binding;
    }
    return latest;
  }

  #scopeOf(steps: readonly Step[], definition: Pick<Definition, "in" | "at">, at: number): Step {
    const [root] = steps as readonly [Step, ...Step[]];
    if (definition.in === "file") return root;
    for (let index = (definition.at ?? at) - (definition.in === "outside" ? 1 : 0); index > 0; index -= 1) {
      const kind = this.#rules.scopes[steps[index]!.type];
      if (kind === undefined) continue;
      if (definition.in !== "function" || kind === "function") return steps[index]!;
    }
    return root;
  }
}
