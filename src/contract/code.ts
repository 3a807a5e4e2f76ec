/** Reads code from text. Only the index reads files, and only those that tools may read. */
export interface CodeService {
  /** Returns the symbols and syntax faults of a text. Throws `unsupported` without a grammar for it. */
  outline(source: Source, options: OutlineOptions): Promise<Outline>;
  /** Returns the occurrences of a name in a text, resolved by scope where the grammar supports it. */
  occurrences(source: Source, name: string, options: Reading): Promise<Occurrences>;
  /** Updates the index of the workspace and returns it. Waits a moment for an index that is being built. */
  index(options: IndexWaiting): Promise<ProjectIndex>;
}

export interface Reading {
  readonly signal: AbortSignal;
}

export interface OutlineOptions extends Reading {
  /** Requests `Outline.literalLines` for this range. */
  readonly literalsIn?: { readonly start: number; readonly end: number } | undefined;
}

export interface IndexWaiting extends Reading {
  /** Called with progress messages. */
  readonly progress: (message: string) => void;
  /** Waits longer while the workspace is small or nothing is indexed yet. */
  readonly patient?: boolean;
}

export interface Source {
  /** Identifies the language, together with the first line of the text. */
  readonly path: string;
  readonly text: string;
  /** Default: detected from the path. "rust", "typescript", "tsx". */
  readonly language?: string | undefined;
}

export interface Outline {
  readonly language: string;
  /** In file order, parents before their children. */
  readonly symbols: readonly CodeSymbol[];
  /** In file order; empty when the text parses. */
  readonly faults: readonly SyntaxFault[];
  /** Offsets of lines inside strings or heredocs, whose indentation must not change. Only on request. */
  readonly literalLines?: readonly number[] | undefined;
}

/** The kinds of symbols, the same for all languages. */
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

/** A named block of code. Offsets count UTF-16 units; lines count from 1 and are inclusive. */
export interface CodeSymbol {
  readonly kind: SymbolKind;
  /** As written; for an impl the text after the keyword: "Agent", "Display for Agent". */
  readonly name: string;
  /** Index of the enclosing symbol in the outline. */
  readonly parent: number | undefined;
  /** The whole block, including attributes, decorators and doc comments above it. */
  readonly start: number;
  readonly end: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Start of the declaration itself, after comments and attributes. */
  readonly declarationStart: number;
  /** The line of its name. */
  readonly line: number;
  /** The range inside its brackets; undefined without a body. */
  readonly inside: { readonly start: number; readonly end: number } | undefined;
  /** Its head in one line, without the body. */
  readonly signature: string;
  /** The first sentence of its doc comment. */
  readonly doc: string | undefined;
}

/** A syntax error. */
export interface SyntaxFault {
  /** Both from 1; the column counts characters. */
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
  /** "missing ;", "unexpected `}`". */
  readonly message: string;
}

export interface Occurrences {
  readonly language: string;
  /** Occurrences in code, not in comments or strings. */
  readonly places: readonly Occurrence[];
  /** Whether the grammar resolves scopes, so that `binding` is reliable. */
  readonly scoped: boolean;
}

/** One occurrence. Offsets count UTF-16 units; line and column count from 1. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly role: "definition" | "reference";
  /** Equal for occurrences of the same symbol; undefined when this text alone cannot tell. */
  readonly binding: number | undefined;
  /**
   * The reason when scopes are known and `binding` is undefined. "outside": another file or the language; "member": a
   * type; "argument": the called function; "foreign": other files use this name; "unclear": a macro.
   */
  readonly unbound?: "outside" | "member" | "argument" | "foreign" | "unclear";
  /** Text around a new name that keeps the meaning: `{ a }` becomes `{ a: other }`. */
  readonly around?: { readonly before: string; readonly after: string };
  /** Whether other files can use this definition by its name. */
  readonly isPublic?: boolean;
  /** Whether callers of the function can pass this parameter by name. */
  readonly isArgument?: boolean;
  /** Whether `x.name` can refer to this symbol. */
  readonly isMember?: boolean;
  /** Whether a path such as `self::name` can refer to this symbol, where otherwise a type would decide. */
  readonly isPathed?: boolean;
}

/** The index of the workspace, as of a moment ago. Paths are relative to it. */
export interface ProjectIndex {
  readonly state: IndexState;
  /** Returns the best matches for a query, best first. */
  search(query: IndexQuery, options: Reading): Promise<IndexAnswer>;
  /** Returns all files that may contain a match, and possibly others: callers must search them. */
  candidates(pattern: CandidatePattern, options: Reading): Promise<readonly string[]>;
  /** Finds symbols by their whole name or its last words, ordered by path. */
  symbols(wanted: SymbolsWanted, options: Reading): Promise<readonly IndexedSymbol[]>;
  /** Returns the symbols around lines of files, in the order of `files`; undefined where they are not indexed. */
  symbolsAround(
    files: readonly FileLines[],
    options: Reading,
  ): Promise<readonly (SymbolsAround | undefined)[]>;
  /** Returns the files and symbols that are used most, most central first. */
  central(wanted: CentralWanted, options: Reading): Promise<readonly CentralFile[]>;
}

/** Some lines of a file, in ascending order. */
export interface FileLines {
  readonly path: string;
  readonly lines: readonly number[];
}

/** The symbols that contain some lines of a file, with their parents, while its content has this hash. */
export interface SymbolsAround {
  readonly hash: string;
  readonly symbols: readonly OutlinedSymbol[];
}

export type OutlinedSymbol = Pick<
  CodeSymbol,
  "kind" | "name" | "parent" | "firstLine" | "lastLine" | "line" | "signature" | "doc"
>;

export interface IndexState {
  /** Files that can be indexed. */
  readonly files: number;
  /** Files whose words are indexed. */
  readonly indexed: number;
  /** Files whose symbols are indexed, out of `outlinable` files that have symbols. */
  readonly outlined: number;
  readonly outlinable: number;
  /** Set while the index is built or merged. */
  readonly isBuilding?: true | undefined;
  /** Why the index cannot be built or stored; the remaining files are searched without it. */
  readonly problem?: string | undefined;
  /** Undefined without a model. */
  readonly vectors?: VectorState | undefined;
}

/** The vectors of the index, when the user has chosen a model for them. */
export interface VectorState {
  readonly model: string;
  /** Pieces of code and documents that get a vector, and those of them that have none yet. */
  readonly pieces: number;
  readonly missing: number;
  /** Tokens sent so far. */
  readonly tokens: number;
  /** Set while vectors are being made. */
  readonly isRunning?: true | undefined;
  /** Why no more vectors are made. */
  readonly problem?: VectorProblem | undefined;
}

export interface VectorProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface IndexFilter {
  readonly kind?: SymbolKind | undefined;
  readonly language?: string | undefined;
  /** A file or folder, relative to the workspace, or a glob. */
  readonly path?: string | undefined;
}

export interface IndexQuery extends Omit<IndexFilter, "kind"> {
  readonly words: string;
  /** Only symbols of these kinds. */
  readonly kinds?: readonly SymbolKind[] | undefined;
  readonly limit: number;
}

export interface IndexAnswer {
  readonly hits: readonly IndexHit[];
  /** Why the query was not compared by meaning, although the user has chosen a model. */
  readonly problem?: VectorProblem | undefined;
}

export interface IndexHit {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbol: IndexedSymbol | undefined;
  readonly score: number;
  /** The words of the query that were found: "name: parse, token; body: stream"; or "meaning". */
  readonly why: string;
}

/** A literal text, or a regular expression in ripgrep's syntax. */
export interface CandidatePattern extends Pick<IndexFilter, "language" | "path"> {
  readonly kind: "literal" | "regex";
  readonly text: string;
  readonly ignoreCase: boolean;
  /**
   * Puts files first that define a symbol of this name, then code, tests and the other roles. Default: files are ordered by
   * path.
   */
  readonly symbol?: string | undefined;
  /** Default: all candidates. */
  readonly limit?: number | undefined;
}

export interface SymbolsWanted extends IndexFilter {
  readonly name: string;
  /** Whether `name` is only the beginning of the whole name, or of its last words. */
  readonly isStart?: true | undefined;
  readonly limit: number;
}

export interface CentralWanted extends Pick<IndexFilter, "language" | "path"> {
  readonly limit: number;
}

export interface IndexedSymbol {
  readonly path: string;
  readonly kind: SymbolKind;
  readonly name: string;
  /** Names of enclosing symbols, outermost first. */
  readonly within: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly signature: string;
  readonly doc: string | undefined;
}

export interface CentralFile {
  readonly path: string;
  /** The weights of all files sum to 1. */
  readonly weight: number;
  readonly symbols: readonly (IndexedSymbol & { readonly weight: number })[];
}
