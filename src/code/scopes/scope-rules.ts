/** One node on the way from the root of a tree down to a name. */
export interface Step {
  readonly type: string;
  /** What it is to the node above. */
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

/** The way to a name: the root first, the name itself last. */
export interface NodePath {
  readonly steps: readonly Step[];
  readonly text: string;
}

/**
 * What a language says about names. A name is understood by going up from it: for each node above, `places` is asked for
 * "type.field" and then for "type", until one says something else than "up"; where none does, the type of the name itself
 * decides. What joins two things that differ is safe, as both are renamed; what parts one thing in two is not. In doubt a
 * name is "unclear", and nothing that it could mean is renamed.
 */
export interface ScopeRules {
  /** The types of names, and what they are where nothing else is said. */
  readonly names: Readonly<Record<string, Meaning | ((way: NodePath) => Meaning)>>;
  readonly positions: Readonly<Record<string, Meaning | "up" | Decide>>;
  /** The nodes in which names hold. The root is always one. */
  readonly scopes: Readonly<Record<string, ScopeKind>>;
  /** How the rest of the language spells a name. */
  readonly spelling: RegExp;
  /** Words that cannot be names. */
  readonly reserved: string;
  /** Nodes in which words are names whatever the grammar calls them: the arguments of a macro. */
  readonly tokens?: RegExp;
  /** Names that stand in other nodes, as in the text of a format string. */
  within?(way: NodePath, name: { readonly start: number; readonly end: number }): Meaning | undefined;
  /** Whether the scope at `index` counts for a name that is reached on this way: not for the default of a parameter. */
  isSeenBy?(way: NodePath, index: number): boolean;
  /** Kinds that are not seen from within the node at `index`: the variables around a function of Rust. */
  hides?(way: NodePath, index: number): number;
  /** Whether the node at `index` may have names from elsewhere, so that nobody knows what is meant by one from around it. */
  clouds?(way: NodePath, index: number): boolean;
  /** Where names are looked up in a way that the text does not show. */
  readonly byName?: RegExp;
}

/** `at` is the index of the step whose place decides: all below it only lead there. */
export type Decide = (way: NodePath, at: number) => Meaning | "up";

/**
 * "closed": what is defined in it is seen only right in it, not in functions within: a class of Python. "clause": a function
 * to who looks for names, and none to who defines them: a comprehension.
 */
type ScopeKind = "block" | "function" | "closed" | "clause";

export type Meaning = Definition | Reference | Unbound;

/** Names of different kinds do not meet: a type and a value, in TypeScript; a variable and a function, in Rust. */
export const kinds = { value: 1, type: 2, any: 3, label: 4, private: 8, local: 16, constant: 32 } as const;

export interface Definition extends Written {
  readonly is: "definition";
  readonly kind: number;
  /** Which scope it belongs to: the nearest from `at` up, the nearest function, the one outside of that, or the file. */
  readonly in: "nearest" | "function" | "outside" | "file";
  /** Where the search for the scope begins, if not at the node that decides. */
  readonly at?: number;
  /** Where it holds, if not in all of its scope. */
  readonly from?: number;
  readonly until?: number;
  /** Defines something else than an earlier definition in the same scope, as `let` of Rust. */
  readonly renews?: true;
  /** A member as well: what `x.name` means. */
  readonly isMember?: true;
  /** `self::name` can mean it. */
  readonly isPathed?: boolean;
  /** Kinds that stand in its way: a pattern of Rust that has the name of a constant means that. */
  readonly yieldsTo?: number;
  /** Others can use it by this name. */
  readonly isPublic?: boolean;
  /** Who calls the function may name it. */
  readonly isArgument?: true;
}

export interface Reference extends Written {
  readonly is: "reference";
  readonly kind: number;
  /** In all of its function the name is that of the file, or of a function around it: `global x`, `nonlocal x`. */
  readonly declares?: "file" | "outer";
}

/** "member": what it means depends on a type; "argument": on the function called; "foreign": it is another's name. */
export interface Unbound {
  readonly is: "member" | "argument" | "unclear" | "foreign";
  readonly role?: "definition";
}

interface Written {
  /** What stands around another name here, so that the rest means the same as before. */
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

/** Gives the same meaning to each of several node types, or types with a field, separated by blanks. */
export function each<const Value>(keys: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, value]));
}

/** The table of scopes from the node types of each kind, separated by blanks. */
export function scopesOf(types: Partial<Record<ScopeKind, string>>): ScopeRules["scopes"] {
  return Object.assign({}, ...Object.entries(types).map(([kind, names]) => each(names, kind)));
}

/** The text of a node, or of what stands between two offsets. */
export function textOf({ text }: NodePath, { start, end }: Pick<Step, "start" | "end">): string {
  return text.slice(start, end);
}

/** The name itself. */
export function nameOf(way: NodePath): string {
  return textOf(way, way.steps.at(-1)!);
}

/** The nearest step from `at` up that is one of these, below `below` if given. */
export function nearestOf({ steps }: NodePath, at: number, types: readonly string[]): Step | undefined {
  for (let index = at; index >= 0; index -= 1) {
    if (types.includes(steps[index]!.type)) return steps[index];
  }
  return undefined;
}
