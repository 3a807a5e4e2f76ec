import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../contract/code.ts";
import type { Pieces } from "./gather-pieces.ts";

/** How the symbols of one language are found. The meaning of the captures is documented in outline-of.ts. */
export interface SymbolRules {
  readonly query: string;
  /** The kind of a symbol in its context; undefined if it is not one there. Called after the general rules. */
  readonly kind?: (symbol: FoundSymbol, parent: FoundSymbol | undefined) => SymbolKind | undefined;
  /** The name inside the node captured as @name: in C it is somewhere in the declarator. */
  readonly nameNode?: (captured: Node) => Node;
  /** The kind by the node captured as @name: in C a function or a variable. */
  readonly declaredKind?: (captured: Node, kind: SymbolKind) => SymbolKind;
  readonly name?: (written: string) => string;
  /** Where the last part of a name begins: `Outer::name`. It may be on another line. */
  readonly lastWordAt?: (written: string) => number;
  /** Comments that do not belong to the next symbol: `//!` of Rust. */
  readonly unrelatedComment?: RegExp;
  /**
   * The text without what the grammar is known not to understand, with the same length and lines. Tried where the
   * text does not parse, and used if that leaves fewer faults.
   */
  readonly respell?: (text: string) => string;
  /** Text that may follow a symbol and ends it: ";". */
  readonly terminator?: string;
  /** Changes the pieces in ways that a query cannot express: joinClauses, for example. */
  readonly arrange?: (pieces: Pieces, text: string) => Pieces;
  /** The maximal number of symbols of a data file: the innermost are left out. */
  readonly most?: number;
}

export interface FoundSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly hasInside: boolean;
}

export type SymbolRulesTable = Readonly<Record<string, SymbolRules>>;
