import type { TextSpan } from "../lines.ts";
/** A node on the path from the root of a tree to a name. */
export interface Step {
  readonly type: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

/** The path to a name: the root first, the name last. */
export interface NodePath {
  readonly steps: readonly Step[];
  readonly text: string;
}

/**
 * The scope rules of a language. A name is understood by going up from it: for each node above, `positions` is asked
 * for "type.field" and then for "type", until one returns something else than "up"; otherwise the type of the name
 * itself decides. Joining two different things is safe, as both are renamed; splitting one thing in two is not. In
 * doubt a name is "unclear", and nothing that it could mean is renamed.
 */
export interface ScopeRules {
  readonly names: Readonly<Record<string, Meaning | ((way: NodePath) => Meaning)>>;
  readonly positions: Readonly<Record<string, Meaning | "up" | Decide>>;
  readonly scopes: Readonly<Record<string, ScopeKind>>;
  readonly spelling: RegExp;
  readonly reserved: string;
  /** Nodes in which all words are names, whatever the grammar calls them: the arguments of a macro. */
  readonly tokens?: RegExp;
  /** Names inside other nodes, as in the text of a format string. */
  within?(way: NodePath, name: TextSpan): Meaning | undefined;
  /** Whether the scope at `index` applies to a name on this path: not to the default of a parameter. */
  isSeenBy?(way: NodePath, index: number): boolean;
  /** Kinds that are not visible inside the node at `index`: the variables around a function of Rust. */
  hides?(way: NodePath, index: number): number;
  /** Whether the node at `index` may have unknown names, so that a name from around it is unclear. */
  clouds?(way: NodePath, index: number): boolean;
  /** Code that looks names up in a way that the text does not show. */
  readonly byName?: RegExp;
}

/** `at` is the index of the step whose position decides; the steps below it only lead there. */
export type Decide = (way: NodePath, at: number) => Meaning | "up";

/**
 * "closed": its definitions are visible only directly in it, not in functions inside: a class of Python. "clause": a
 * function for lookups, but not for definitions: a comprehension.
 */
type ScopeKind = "block" | "function" | "closed" | "clause";

export type Meaning = Definition | Reference | Unbound;

/** Names of different kinds are separate: types and values in TypeScript, variables and functions in Rust. */
export const kinds = { value: 1, type: 2, any: 3, label: 4, private: 8, local: 16, constant: 32 } as const;

export interface Definition extends Written {
  readonly is: "definition";
  readonly kind: number;
  /**
   * The scope it belongs to: the nearest from `at` up, the nearest function, the one outside of that, or the file.
   */
  readonly in: "nearest" | "function" | "outside" | "file";
  /** Where the search for the scope begins. Default: the node that decides. */
  readonly at?: number;
  /** Where it is visible, if not in its whole scope. */
  readonly from?: number;
  readonly until?: number;
  /** Replaces an earlier definition in the same scope, like `let` of Rust. */
  readonly renews?: true;
  /** Also a member: `x.name` can mean it. */
  readonly isMember?: true;
  /** `self::name` can mean it. */
  readonly isPathed?: boolean;
  /** Kinds that take precedence: a pattern of Rust with the name of a constant means that. */
  readonly yieldsTo?: number;
  readonly isPublic?: boolean;
  readonly isArgument?: true;
}

export interface Reference extends Written {
  readonly is: "reference";
  readonly kind: number;
  /** In its whole function the name is that of the file, or of an outer function: `global x`, `nonlocal x`. */
  readonly declares?: "file" | "outer";
}

/** "member": depends on a type; "argument": on the called function; "foreign": a name that others define. */
export interface Unbound {
  readonly is: "member" | "argument" | "unclear" | "foreign";
  readonly role?: "definition";
}

interface Written {
  /** Text to add around a new name here, so that the rest keeps its meaning. */
  readonly around?: { readonly before: string; readonly after: string };
}

export const define: (more?: Partial<Omit<Definition, "is">>) => Definition = (more) => ({
  is: "definition",
  kind: kinds.value,
  in: "nearest",
  ...more,
});

export const refer: (more?: Partial<Omit<Reference, "is">>) => Reference = (more) => ({
  is: "reference",
  kind: kinds.value,
  ...more,
});

export const reference: Reference = refer();
export const member: Unbound = { is: "member" };
export const memberDefinition: Unbound = { is: "member", role: "definition" };
export const argument: Unbound = { is: "argument" };
export const foreign: Unbound = { is: "foreign" };
export const unclear: Unbound = { is: "unclear" };

/** Gives the same meaning to several node types or "type.field"s, separated by blanks. */
export function each<const Value>(keys: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, value]));
}

/** The scopes of a language, from the node types of each kind. */
export function scopesOf(types: Partial<Record<ScopeKind, string>>): ScopeRules["scopes"] {
  return Object.assign({}, ...Object.entries(types).map(([kind, names]) => each(names, kind)));
}

export function textOf({ text }: NodePath, { start, end }: Pick<Step, "start" | "end">): string {
  return text.slice(start, end);
}

export function nameOf(way: NodePath): string {
  return textOf(way, way.steps.at(-1)!);
}

/** The nearest step from `at` up of one of these types. */
export function nearestOf({ steps }: NodePath, at: number, types: readonly string[]): Step | undefined {
  for (let index = at; index >= 0; index -= 1) {
    if (types.includes(steps[index]!.type)) return steps[index];
  }
  return undefined;
}
