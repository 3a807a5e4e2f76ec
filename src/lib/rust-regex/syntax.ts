/** A parsed pattern. Flags are resolved: what `(?i)` and its kin say stands in the nodes they reach. */
export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "literal"; readonly code: number; readonly ignoreCase: boolean }
  | { readonly kind: "class"; readonly set: ClassSet; readonly ignoreCase: boolean }
  /** `newlines`: it matches line ends as well. */
  | { readonly kind: "dot"; readonly newlines: boolean }
  | { readonly kind: "assertion"; readonly at: Place; readonly unicode: boolean }
  | {
      readonly kind: "repetition";
      readonly node: Node;
      readonly min: number;
      /** Infinity: without bound. */
      readonly max: number;
      readonly greedy: boolean;
    }
  | { readonly kind: "concatenation"; readonly nodes: readonly Node[] }
  | { readonly kind: "alternation"; readonly nodes: readonly Node[] };

export type Place =
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end"
  | "word-boundary"
  | "no-word-boundary"
  | "word-start"
  | "word-end"
  | "word-start-half"
  | "word-end-half";

/** A set of characters. */
export type ClassSet =
  | { readonly kind: "range"; readonly first: number; readonly last: number }
  | {
      readonly kind: "perl";
      readonly name: "d" | "s" | "w";
      readonly negated: boolean;
      readonly unicode: boolean;
    }
  /** `source` is a property as JavaScript spells it, such as "Script=Greek". */
  | { readonly kind: "property"; readonly source: string; readonly negated: boolean }
  | { readonly kind: "union"; readonly sets: readonly ClassSet[]; readonly negated: boolean }
  | {
      readonly kind: "operation";
      readonly operator: "&&" | "--" | "~~";
      readonly left: ClassSet;
      readonly right: ClassSet;
    };
