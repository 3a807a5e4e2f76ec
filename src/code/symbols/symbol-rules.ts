import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../contract/code.ts";
import type { Pieces } from "./gather-pieces.ts";

/** How the symbols of one language are found. What the captures of the query mean stands on top of outline-of.ts. */
export interface SymbolRules {
  readonly query: string;
  /** What a symbol is where it stands; undefined where it is none there. Asked after the rules that hold everywhere. */
  readonly kind?: (symbol: FoundSymbol, parent: FoundSymbol | undefined) => SymbolKind | undefined;
  /** Where the name stands in what was captured as @name: in C it lies somewhere in the declarator. */
  readonly nameNode?: (captured: Node) => Node;
  /** What was captured as @name may tell what is declared: in C a function or a variable. */
  readonly declaredKind?: (captured: Node, kind: SymbolKind) => SymbolKind;
  /** The name to show for the name as written. */
  readonly name?: (written: string) => string;
  /** Where in a name as written its last word begins: `Outer::name`. It may stand on another line. */
  readonly lastWordAt?: (written: string) => number;
  /** Comments that do not belong to what follows them: `//!` of Rust. */
  readonly unrelatedComment?: RegExp;
  /**
   * The text without what the grammar is known not to understand, as long as before and with the same lines. Tried where the
   * text does not parse, and taken where that leaves fewer faults.
   */
  readonly respell?: (text: string) => string;
  /** What may stand right behind a symbol and ends it: ";". */
  readonly terminator?: string;
  /** Changes, before anything is made of them, what a query cannot say: joinClauses, for one. */
  readonly arrange?: (pieces: Pieces, text: string) => Pieces;
  /** How many symbols are worth listing, in files of data: of more the innermost are left out. */
  readonly most?: number;
}

export interface FoundSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  /** Whether it has a body or what else can hold something. */
  readonly hasInside: boolean;
}

/** Rules by the language names of languages.ts. */
export type SymbolRulesTable = Readonly<Record<string, SymbolRules>>;
