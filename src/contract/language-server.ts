import type { Source } from "./code.ts";

/** The language servers of a workspace, for one call. They know types, and run in the sandbox. */
export interface LanguageServers {
  /** Returns the server for a file's language, and starts it if needed; else why there is none. */
  serverFor(path: string, options?: ServerWanted): Promise<LanguageServer | NoServer>;
  /**
   * Returns the errors that these changes have added to the changed files, by servers that run already. Takes at most two
   * seconds, and never throws: it returns nothing when the servers do not answer in time.
   */
  newErrors(changes: readonly ChangedText[]): Promise<readonly Diagnostic[]>;
}

export interface ServerWanted {
  /** Whether only a server that runs already is wanted. */
  readonly onlyRunning?: boolean | undefined;
}

/** Why there is no server for a file. */
export interface NoServer {
  readonly missing: string;
  /** How to get one; undefined when no server is known for the language. */
  readonly hint: string | undefined;
  /** Whether a server is known for the language. Answers without it say so. */
  readonly isKnown: boolean;
}

/** A server that runs. Its answers are data of another program: positions and texts must be checked before use. */
export interface LanguageServer {
  /** "typescript 7.0.2". */
  readonly name: string;
  /** Returns the errors and warnings of a file, in order. */
  diagnostics(source: Source): Promise<readonly Diagnostic[]>;
  /** Returns the type and documentation of a symbol as Markdown; undefined when there is no symbol. */
  hover(at: SourcePosition): Promise<string | undefined>;
  /** Returns where a symbol is defined, implemented or used, ordered by path and position. */
  locations(wanted: LocationKind, at: SourcePosition): Promise<readonly CodeLocation[]>;
  /** Returns the edits that rename a symbol everywhere. Throws `unsupported` when it cannot be renamed. */
  rename(at: SourcePosition, newName: string): Promise<RenameEdits>;
  /** Returns what the server would find if the files had these texts. Nothing is written. */
  tryTexts(changes: readonly ChangedText[], at: SourcePosition): Promise<TriedTexts>;
}

interface TriedTexts {
  /** Errors that were not there before, in the changed files and in those that are given beside the position. */
  readonly newErrors: readonly Diagnostic[];
  /** The references of the symbol at the given position. */
  readonly references: readonly CodeLocation[];
}

export type LocationKind = "definition" | "type" | "implementation" | "references";

/** A position in the current text of a file, in UTF-16 units. */
export interface SourcePosition extends Source {
  readonly offset: number;
  /** Files that may use the symbol. They are opened first, because a project without settings consists of its open files. */
  readonly also?: readonly Source[] | undefined;
}

/** A position as servers count: both from 0, in UTF-16 units. */
export interface LinePosition {
  readonly line: number;
  readonly character: number;
}

interface LineRange {
  readonly start: LinePosition;
  readonly end: LinePosition;
}

export interface CodeLocation {
  /** Relative to the workspace, or absolute outside it. */
  readonly path: string;
  readonly range: LineRange;
}

export interface RenameEdits {
  /** By path, relative to the workspace. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** Files that get another name, because their name is that of the symbol. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
}

export interface TextEdit {
  readonly range: LineRange;
  readonly newText: string;
}

export interface Diagnostic {
  readonly path: string;
  /** Both from 1; the column counts UTF-16 units. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  /** "TS2322", "reportCallIssue". */
  readonly code: string | undefined;
}

/** A file's text before and after an edit; undefined when there is no file. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A language server that the user has configured. */
export interface LanguageServerSetting {
  /** A program by name, or an absolute path. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Such as ".rs". */
  readonly extensions: readonly string[];
  /** Sent to the server when it starts. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}
