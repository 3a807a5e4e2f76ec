import type { TextSpan } from "../lines.ts";

/** A node on the path from the root of a tree to a name. */
export interface Step extends TextSpan {
  readonly type: string;
  readonly field: string | undefined;
  readonly id: number;
}

/** The nodes from the root of a tree to a name, and the text. */
export class NodePath {
  readonly steps: readonly Step[];
  readonly text: string;

  constructor(steps: readonly Step[], text: string) {
    this.steps = steps;
    this.text = text;
  }

  get name(): string {
    return this.textOf(this.steps.at(-1)!);
  }

  textOf({ start, end }: TextSpan): string {
    return this.text.slice(start, end);
  }

  /** Returns the text of the node above `at` that precedes the node at `at`. */
  textBefore(at: number): string {
    return this.text.slice(this.steps[at - 1]!.start, this.steps[at]!.start);
  }

  /** Returns the text of the node above `at` that follows the node at `at`. */
  textAfter(at: number): string {
    return this.text.slice(this.steps[at]!.end, this.steps[at - 1]!.end);
  }

  /** Returns the nearest step of one of these types, from `at` up. */
  nearest(types: readonly string[], at: number = this.steps.length - 1): Step | undefined {
    return this.steps.slice(0, at + 1).findLast(({ type }) => types.includes(type));
  }
}

/**
 * The scope rules of a language. The nodes above a name decide what it means: the first for which `positions` has an
 * entry, "type.field" or "type", that is not "up"; otherwise the type of the name itself. Treating two different names
 * as one is safe, because both are renamed; treating one as two is not. In doubt a name is "unclear", and nothing that
 * it could mean is renamed. A key of a table may list several types, separated by blanks.
 */
export interface ScopeRules {
  readonly names: Readonly<Record<string, Meaning | ((path: NodePath) => Meaning)>>;
  readonly positions: Readonly<Record<string, Meaning | "up" | Decide>>;
  readonly scopes: Readonly<Record<string, ScopeKind>>;
  readonly spelling: RegExp;
  readonly reserved: string;
  /** Types of nodes in which all words are names, whatever the grammar calls them, such as the arguments of a macro. */
  readonly tokens?: RegExp;
  /** Resolves names inside other nodes, such as the text of a format string. */
  within?(path: NodePath, name: TextSpan): Meaning | undefined;
  /** Returns whether the scope at `index` applies to a name. It may not apply to the default of a parameter. */
  isSeenBy?(path: NodePath, index: number): boolean;
  /** Returns the kinds that the node at `index` hides, such as the variables around a Rust function. */
  hides?(path: NodePath, index: number): number;
  /** Returns whether the node at `index` may have unknown names, so that a name from outside is unclear. */
  clouds?(path: NodePath, index: number): boolean;
  /** Matches code that looks up names at run time. */
  readonly byName?: RegExp;
}

/** Decides what a name means. `at` is the index of the deciding step; the steps below lead to the name. */
export type Decide = (path: NodePath, at: number) => Meaning | "up";

/**
 * The definitions of a "closed" scope are visible only directly in it, not in functions inside, as in a Python class. A
 * "clause" is a function for lookups, but not for definitions, as in a comprehension.
 */
type ScopeKind = "block" | "function" | "closed" | "clause";

export type Meaning = Definition | Reference | Unbound;

/** Names of different kinds do not conflict, such as types and values in TypeScript. */
export const kinds = { value: 1, type: 2, any: 3, label: 4, private: 8, local: 16, constant: 32 } as const;

export interface Definition extends Written {
  readonly is: "definition";
  readonly kind: number;
  /** The scope: the nearest one from `at` up, the nearest function, the scope around that function, or the file. */
  readonly in: "nearest" | "function" | "outside" | "file";
  /** Where the search for the scope begins. Default: the node that decides. */
  readonly at?: number;
  /** The range in which the name is visible, if not the whole scope; both ends are offsets. */
  readonly from?: number;
  readonly until?: number;
  /** Whether the definition replaces an earlier one in the same scope, like `let` in Rust. */
  readonly renews?: true;
  /** Whether the name is also a member, so that `x.name` can mean it. */
  readonly isMember?: true;
  /** Whether `self::name` can mean this definition. */
  readonly isPathed?: boolean;
  /** Kinds that take precedence. A Rust pattern with the name of a constant means the constant. */
  readonly yieldsTo?: number;
  readonly isPublic?: boolean;
  readonly isArgument?: true;
}

export interface Reference extends Written {
  readonly is: "reference";
  readonly kind: number;
  /** Set if the name belongs to the file or an outer function in its whole function: `global x`, `nonlocal x`. */
  readonly declares?: "file" | "outer";
}

/** A "member" depends on a type, an "argument" on the called function. A "foreign" name is defined in other files. */
type Unbound = "member" | "member definition" | "argument" | "unclear" | "unclear definition" | "foreign";

interface Written {
  /** Text to add around a new name, so that the rest keeps its meaning. */
  readonly around?: { readonly before: string; readonly after: string };
}

export const define = (more?: Partial<Omit<Definition, "is">>): Definition => ({
  is: "definition",
  kind: kinds.value,
  in: "nearest",
  ...more,
});

export const refer = (more?: Partial<Omit<Reference, "is">>): Reference => ({
  is: "reference",
  kind: kinds.value,
  ...more,
});

export const reference: Reference = refer();

/** Expands the keys of the tables, so that each type has its own entry. */
export function scopeRules(rules: ScopeRules): ScopeRules {
  const each = <Value>(table: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(
      Object.entries(table).flatMap(([keys, value]) => keys.split(" ").map((key) => [key, value])),
    );
  return { ...rules, names: each(rules.names), positions: each(rules.positions), scopes: each(rules.scopes) };
}
