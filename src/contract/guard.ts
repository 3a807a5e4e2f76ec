/**
 * Refuses paths in every mode: secrets, protected files, deny rules. Pure. The environment calls it with the real path
 * that it has reached, so that no link, spelling or race gets around it.
 */
export type PathGuard = (use: "read" | "write", realPath: string) => PathRefusal | undefined;

export interface PathRefusal {
  /** Continues a sentence after the path: "is secret and cannot be read". */
  readonly reason: string;
  /** The rule as written, and its source: `secret .env* (built-in)`. */
  readonly rule: string;
  /** Set when no rule can allow the path, because it belongs to Toolcrib itself. */
  readonly isFinal?: true | undefined;
}

/** The rules about reads at one moment. Rules with the same key refuse the same paths. */
export interface ReadRules {
  readonly key: string;
  readonly guard: PathGuard;
  /** Whether a rule asks before the path is read, so that nothing may be sent of it unasked. Default: no rule does. */
  readonly asks?: (realPath: string) => boolean;
}

/**
 * Directories outside the workspace where tools can reach files by name; listing, searching and running stay inside the
 * workspace. Absolute, with everything in them. Secrets, system directories and Toolcrib's own data stay refused.
 */
export interface ExtraRoots {
  /** Directories whose files may be read. */
  readonly read?: readonly string[] | undefined;
  /** Directories whose files may be read and written, as in the workspace. */
  readonly write?: readonly string[] | undefined;
  /** Directories whose files may be read and written, where each write needs approval in modes that ask. */
  readonly ask?: readonly string[] | undefined;
  /** Files and directories that no tool may read or write, such as the data of the embedding program. */
  readonly except?: readonly string[] | undefined;
  /** The directories of `write` that sandboxed commands may write, too. Only those that the user owns count. */
  readonly commands?: readonly string[] | undefined;
  /** Directories that sandboxed commands see too, read-only and without secrets; "/" for the whole machine. */
  readonly visible?: readonly string[] | undefined;
  /** Temporary directories. Tools and sandboxed commands share a private directory in their place. */
  readonly temporary?: readonly string[] | undefined;
}
