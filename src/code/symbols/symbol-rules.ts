import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../contract/code.ts";
import type { Pieces } from "./gather-pieces.ts";

/** Rules that find the symbols of one language. The meaning of the captures is documented in outline-of.ts. */
export interface SymbolRules {
  readonly query: string;
  /** Returns the kind of a symbol in its context; undefined if it is none. Called after the general rules. */
  readonly kind?: (symbol: FoundSymbol, parent: FoundSymbol | undefined) => SymbolKind | undefined;
  /** Returns the name inside the node captured as @name, such as a declarator in C. */
  readonly nameNode?: (captured: Node) => Node;
  /** Returns the kind by the node captured as @name, which in C declares a function or a variable. */
  readonly declaredKind?: (captured: Node, kind: SymbolKind) => SymbolKind;
  readonly name?: (written: string) => string;
  /** Returns the start of the last part of a name such as `Outer::name`, which may be on another line. */
  readonly lastWordAt?: (written: string) => number;
  /** Matches comments that do not belong to the next symbol, such as Rust's `//!`. */
  readonly unrelatedComment?: RegExp;
  /** Returns the text, of the same length, without constructs that the grammar cannot parse. */
  readonly respell?: (text: string) => string;
  /** Text that may follow a symbol and ends it: ";". */
  readonly terminator?: string;
  /** Changes the pieces in ways that a query cannot express, for example joinClauses. */
  readonly arrange?: (pieces: Pieces, text: string) => Pieces;
  /** The maximum number of symbols of a data file. The innermost ones are omitted. */
  readonly most?: number;
}

export interface FoundSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  readonly hasInside: boolean;
}

export type SymbolRulesTable = Readonly<Record<string, SymbolRules>>;
