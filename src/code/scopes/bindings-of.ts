import type { Definition, Meaning, Reference, ScopeRules, Step } from "./scope-rules.ts";
import type { Place } from "./ways-to.ts";

export interface Understood {
  readonly place: Place;
  readonly meaning: Meaning;
  /** Index of the step that decided. */
  readonly at: number;
}

/** For each place a number, the same where the same thing is meant; undefined where the text does not tell. */
export function bindingsOf(names: readonly Understood[], rules: ScopeRules): readonly (number | undefined)[] {
  const known = new Known();
  for (const { place, meaning, at } of names) {
    if (meaning.is === "definition") known.add(place, meaning, at, rules);
  }
  return names.map(({ place, meaning }) => {
    if (meaning.is === "definition") return known.at(place.start);
    return meaning.is === "reference" ? known.find(place, meaning, rules) : undefined;
  });
}

interface Binding {
  readonly number: number;
  kind: number;
  from: number;
  until: number;
}

/** What is defined by this name, by the scopes that it holds in. */
class Known {
  readonly #inScope = new Map<number, Map<number, Binding>>();
  readonly #ofPlace = new Map<number, Binding>();
  #count = 0;

  add({ start, way }: Place, definition: Definition, at: number, rules: ScopeRules): void {
    const { kind, from = 0, until = Number.POSITIVE_INFINITY, renews } = definition;
    const scope = scopeOf(way.steps, definition, at, rules);
    const bindings = this.#inScope.get(scope.id) ?? new Map<number, Binding>();
    this.#inScope.set(scope.id, bindings);
    const key = renews ? way.steps[at]!.id : kind & 4;
    const known = bindings.get(key) ?? { number: this.#count++, kind: 0, from, until };
    known.kind |= kind;
    known.from = Math.min(known.from, from);
    known.until = Math.max(known.until, until);
    bindings.set(key, known);
    this.#ofPlace.set(start, known);
  }

  at(start: number): number | undefined {
    return this.#ofPlace.get(start)?.number;
  }

  find({ start, way }: Place, { kind, in: where }: Reference, { scopes }: ScopeRules): number | undefined {
    let hasLeftFunction = false;
    for (let index = way.steps.length - 1; index >= 0; index -= 1) {
      const step = way.steps[index]!;
      const isRoot = index === 0;
      const scope = isRoot ? "function" : scopes[step.type];
      if (scope === undefined || (where === "file" && !isRoot)) continue;
      const isSeen = scope !== "closed" || !hasLeftFunction;
      if (scope === "function") hasLeftFunction = true;
      const found = isSeen ? this.#latest(step.id, start, kind) : undefined;
      if (found !== undefined) return found.number;
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
}

function scopeOf(steps: readonly Step[], definition: Definition, at: number, { scopes }: ScopeRules): Step {
  const [root] = steps as readonly [Step, ...Step[]];
  if (definition.in === "file") return root;
  for (let index = (definition.at ?? at) - (definition.in === "outside" ? 1 : 0); index > 0; index -= 1) {
    const kind = scopes[steps[index]!.type];
    if (kind === undefined) continue;
    if (definition.in !== "function" || kind === "function") return steps[index]!;
  }
  return root;
}
