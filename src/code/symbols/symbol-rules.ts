import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../contract/code.ts";
import type { Pieces } from "./gather-pieces.ts";

/** How the symbols of one language are found. The meaning of the captures is documented in outline-of.ts. */
export interface SymbolRules {
  readonly query: string;
  /** The kind of a symbol in its context; undefined if it is not a symbol there. Called after the general rules. */
  readonly kind?: (symbol: FoundSymbol, parent: FoundSymbol | undefined) => SymbolKind | undefined;
  /** The name inside the node captured as @name. In C it is somewhere in the declarator. */
  readonly nameNode?: (captured: Node) => Node;
  /** The kind by the node captured as @name. In C it is a function or a variable. */
  readonly declaredKind?: (captured: Node, kind: SymbolKind) => SymbolKind;
  readonly name?: (written: string) => string;
  /** The start of the last part of a name: `Outer::name`. It may be on another line. */
  readonly lastWordAt?: (written: string) => number;
  /** Comments that do not belong to the next symbol, such as Rust's `//!`. */
  readonly unrelatedComment?: RegExp;
  /** The text without constructs that the grammar cannot parse, of the same length. Used if it has fewer faults. */
  readonly respell?: (text: string) => string;
  /** Text that may follow a symbol and ends it: ";". */
  readonly terminator?: string;
  /** Changes the pieces in ways that a query cannot express, for example joinClauses. */
  readonly arrange?: (pieces: Pieces, text: string) => Pieces;
  /** The most symbols of a data file. The innermost ones are omitted. */
  readonly most?: number;
}

export interface FoundSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly hasInside: boolean;
}

export type SymbolRulesTable = Readonly<Record<string, SymbolRules>>;
