/**
 * Reads code. What it is given to read is text, wherever that comes from; only the index knows files, and leaves out those
 * that a tool could not read.
 */
export interface Code {
  /** The symbols of a text, and what is wrong with its syntax. `unsupported` where no grammar reads it. */
  outline(source: Source, options: OutlineOptions): Promise<Outline>;
  /** Where a name stands in a text, as the grammar and its scopes see it. */
  occurrences(source: Source, name: string, options: Reading): Promise<Occurrences>;
  /** What is known of the whole workspace, brought up to date first. Waits a moment for an index that is begun. */
  index(options: IndexWaiting): Promise<ProjectIndex>;
}

/** How long an answer is wanted. */
export interface Reading {
  readonly signal: AbortSignal;
}

/** What is told beside the symbols. */
export interface OutlineOptions extends Reading {
  /** Asks for `Outline.literalLines` of the lines that begin in this part of the text. */
  readonly literalsIn?: { readonly start: number; readonly end: number } | undefined;
}

/** How an index is waited for. */
export interface IndexWaiting extends Reading {
  /** Told how far it is. */
  readonly progress: (message: string) => void;
}

/** A text to read, and what it is. */
export interface Source {
  /** Tells the language, with the first line of the text. */
  readonly path: string;
  readonly text: string;
  /** Else told from the path: "rust", "typescript", "tsx". */
  readonly language?: string | undefined;
}

/** What a text consists of. */
export interface Outline {
  readonly language: string;
  /** In the order of the file, what holds others before them. */
  readonly symbols: readonly CodeSymbol[];
  /** In the order of the file; none when it parses. */
  readonly faults: readonly SyntaxFault[];
  /** Where lines begin that lie inside a string or heredoc, so that to indent them would change it. If asked for. */
  readonly literalLines?: readonly number[] | undefined;
}

/** What a symbol is, in words that hold for every language. */
export const symbolKinds = [
  "function",
  "method",
  "constructor",
  "class",
  "struct",
  "union",
  "enum",
  "trait",
  "interface",
  "impl",
  "type",
  "module",
  "macro",
  "constant",
  "variable",
  "field",
  "property",
  "variant",
  "heading",
  "key",
  "rule",
  "element",
  "table",
] as const;

export type SymbolKind = (typeof symbolKinds)[number];

/** A named piece of code. Offsets count UTF-16 units of the text, lines count from 1 and are inclusive. */
export interface CodeSymbol {
  readonly kind: SymbolKind;
  /** As written; of an impl what follows the word: "Agent", "Display for Agent". */
  readonly name: string;
  /** Index, in the outline, of the symbol it lies in. */
  readonly parent: number | undefined;
  /** The whole block, with the attributes, decorators and doc comments above it. */
  readonly start: number;
  readonly end: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Where its own syntax begins, after comments and attributes. */
  readonly declarationStart: number;
  /** The line its name stands on, as other tools count it. */
  readonly line: number;
  /** What lies inside, without the brackets or what else holds it; undefined where it has no inside. */
  readonly inside: { readonly start: number; readonly end: number } | undefined;
  /** Its head in one line, without the body. */
  readonly signature: string;
  /** The first sentence of its doc comment. */
  readonly doc: string | undefined;
}

/** A place where a text does not follow the grammar of its language. */
export interface SyntaxFault {
  /** Both from 1; the column counts characters. */
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
  /** "missing ;", "unexpected `}`". */
  readonly message: string;
}

/** All places of one name in a text. */
export interface Occurrences {
  readonly language: string;
  /** Those that are code: not in comments or strings. */
  readonly places: readonly Occurrence[];
  /** Whether the grammar tells scopes, so that `binding` can be trusted. */
  readonly scoped: boolean;
}

/** One place of a name. Offsets count UTF-16 units; line and column count from 1. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly role: "definition" | "reference";
  /** The same for places that mean the same thing; undefined where that is decided outside this text. */
  readonly binding: number | undefined;
  /**
   * Where there are scopes and no binding, who decides: "outside": another file or the language; "member": the type of
   * something; "argument": the function that is called; "foreign": it is the name that others give; "unclear": a macro.
   */
  readonly unbound?: "outside" | "member" | "argument" | "foreign" | "unclear";
  /** What must stand around another name here, so that all else means the same: `{ a }` becomes `{ a: other }`. */
  readonly around?: { readonly before: string; readonly after: string };
  /** Of a definition: other files can use it by this name. */
  readonly isPublic?: boolean;
  /** Who calls the function can name it. */
  readonly isArgument?: boolean;
  /** It is what `x.name` means, for some x. */
  readonly isMember?: boolean;
  /** A path, as `self::name`, can mean it: a place where a type would else decide. */
  readonly isPathed?: boolean;
}

/** What is known of the workspace, as it was a moment ago. Paths are relative to it. */
export interface ProjectIndex {
  readonly state: IndexState;
  /** The best pieces of code for a query, best first. */
  search(query: IndexQuery, options: Reading): Promise<readonly IndexHit[]>;
  /** All files that can hold what is looked for, and perhaps others: who asks looks into them. */
  candidates(pattern: CandidatePattern, options: Reading): Promise<readonly string[]>;
  /** Symbols by their name, whole or as the last words of it, in the order of paths. */
  symbols(wanted: SymbolsWanted, options: Reading): Promise<readonly IndexedSymbol[]>;
  /** The files and symbols that most of the others use, most central first. */
  central(wanted: CentralWanted, options: Reading): Promise<readonly CentralFile[]>;
}

/** How much of the workspace an index knows. */
export interface IndexState {
  /** Files that an index can hold. */
  readonly files: number;
  /** Those whose words are known. */
  readonly indexed: number;
  /** Those whose symbols are known, of those that have some. */
  readonly outlined: number;
  readonly outlinable: number;
  /** There is more to come: it is being built. */
  readonly isBuilding?: true | undefined;
  /** What keeps it from being built, or kept: the rest of the files is then searched without it. */
  readonly problem?: string | undefined;
}

/** What is looked through. */
export interface IndexFilter {
  readonly kind?: SymbolKind | undefined;
  readonly language?: string | undefined;
  /** A file or folder, relative to the workspace, or a glob. */
  readonly path?: string | undefined;
}

/** What is looked for by words. */
export interface IndexQuery extends Omit<IndexFilter, "kind"> {
  readonly words: string;
  /** Any of these. */
  readonly kinds?: readonly SymbolKind[] | undefined;
  readonly limit: number;
}

/** A piece of code that matches a query. */
export interface IndexHit {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbol: IndexedSymbol | undefined;
  readonly score: number;
  /** Which words of the query were found, and where: "name: parse, token; body: stream". */
  readonly why: string;
}

/** What is looked for to the letter, or as ripgrep reads an expression. */
export interface CandidatePattern extends Pick<IndexFilter, "language" | "path"> {
  readonly kind: "literal" | "regex";
  readonly text: string;
  readonly ignoreCase: boolean;
}

/** Which symbols are looked for. */
export interface SymbolsWanted extends IndexFilter {
  readonly name: string;
  readonly limit: number;
}

/** How many files are wanted, and of what. */
export interface CentralWanted extends Pick<IndexFilter, "language" | "path"> {
  readonly limit: number;
}

/** A symbol of a file, as the index knows it. */
export interface IndexedSymbol {
  readonly path: string;
  readonly kind: SymbolKind;
  readonly name: string;
  /** Names of what it lies in, outermost first. */
  readonly within: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly signature: string;
  readonly doc: string | undefined;
}

/** A file, by how much the others use it. */
export interface CentralFile {
  readonly path: string;
  /** Adds up to 1 over all files. */
  readonly weight: number;
  readonly symbols: readonly (IndexedSymbol & { readonly weight: number })[];
}
