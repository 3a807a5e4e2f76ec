// Searches and listings that an environment on another machine runs as a whole, in one round trip.

/** A search as callers ask for it. The names are those of the tool `search.grep`. */
export interface SearchWanted {
  readonly pattern: string;
  /** A file or directory. Default: the workspace. */
  readonly path?: string | undefined;
  readonly literal?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly whole_word?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  /** An expression of lines to skip. */
  readonly exclude?: string | undefined;
  readonly only_matching?: boolean | undefined;
  readonly context?: number | undefined;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly glob?: string | readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly mode?: SearchMode | undefined;
  readonly limit?: number | undefined;
  readonly max_per_file?: number | undefined;
  readonly hidden?: boolean | undefined;
  readonly no_ignore?: boolean | undefined;
}

export type SearchMode = "content" | "files" | "count";

export interface SearchFound {
  /** The searched file or directory, by its real path relative to the workspace. */
  readonly scope: { readonly kind: "file" | "directory"; readonly path: string };
  /** Ordered by path. */
  readonly hits: readonly FileHits[];
  /** Whether more than the limit was found. */
  readonly isLimited: boolean;
  /** Whether some files have more matching lines than were requested. */
  readonly hasCutFiles: boolean;
  readonly searchedFiles: number;
  readonly binaryFiles: number;
  readonly engine: "built-in" | "ripgrep";
  readonly skipped: SkippedFiles;
  /** The searched file, if it is a single binary file. */
  readonly binary?: { readonly path: string; readonly matches?: boolean | undefined } | undefined;
}

interface SkippedFiles {
  readonly unreadable: Iterable<string>;
  /** Files that the policy denies. */
  readonly guarded: Iterable<string>;
  /** Files with a line that was too long to search completely. */
  readonly partly: Iterable<string>;
  /** Files that were too large to search across lines. */
  readonly tooLarge: Iterable<string>;
}

export interface FileHits {
  /** A path relative to the workspace, or an output handle. */
  readonly path: string;
  /** The number of matching lines; 1 when only existence matters. */
  readonly count: number;
  readonly lines: readonly ShownLine[];
  /** Whether there are more matching lines than were requested. */
  readonly hasMore: boolean;
}

/** A matching line, or a neighbour of one. */
export interface ShownLine {
  /** The line number, from 1. */
  readonly line: number;
  readonly text: string;
  readonly matched: boolean;
}

/** A listing as callers ask for it. The names are those of the tool `file.list`. */
export interface ListWanted {
  /** Default: the workspace. */
  readonly path?: string | undefined;
  readonly depth?: number | undefined;
  readonly limit?: number | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly hidden?: boolean | undefined;
  readonly no_ignore?: boolean | undefined;
}

export interface ListedTree {
  readonly root: ListedDirectory;
  /** The number of shown entries. */
  readonly shown: number;
  readonly isLimited: boolean;
}

export type ListedEntry = ListedFile | ListedLink | ListedDirectory;

interface ListedFile {
  /** `other` is a FIFO, device or socket. */
  readonly kind: "file" | "other";
  readonly name: string;
  /** The size; undefined for a name that is not UTF-8, which cannot be looked up. */
  readonly bytes: number | undefined;
}

interface ListedLink {
  readonly kind: "link";
  readonly name: string;
  readonly target: LinkTarget;
}

/** The target of a link, relative to the workspace, or why it is unknown. */
export type LinkTarget =
  | { readonly path: string }
  | { readonly astray: "outside" | "circle" | "unreachable" };

export interface ListedDirectory {
  readonly kind: "directory";
  readonly name: string;
  /** The shown entries, ordered by name; undefined for a directory that is too deep, unreadable or missing. */
  readonly entries: readonly ListedEntry[] | undefined;
  /** The number of entries that the limit left out. */
  readonly beyondLimit: number;
  /** The number of entries left out because they are hidden or ignored. */
  readonly notShown: number;
  readonly isUnreadable: boolean;
}
