/**
 * The files and hosts that one command may use, as decided by the policy. The environment turns it into a sandbox;
 * everything that is not named here is unreachable. Paths are absolute and real.
 */
export interface Confinement {
  /** Set when the command runs outside the sandbox, because a rule of the user says so. */
  readonly unconfined?: true;
  /**
   * Whether the command may connect to a host, given as a name or address. Default: no host. `name` is the allowed name
   * that resolved to this address.
   */
  readonly mayConnect?: (host: string, port: number, name?: string) => boolean | Promise<boolean>;
  /** How long connections have waited for an answer of the user, which does not count as time of the command. */
  readonly heldMs?: () => number;
  /** The allowed hosts for display and comparison, as rules spell them; "*" for any. */
  readonly hosts?: readonly string[];
  /**
   * Whether the call may run this command, such as a git hook, in its sandbox without approval. A command that the user has
   * chosen, such as an installed language server, runs unless a rule denies it. Default: none.
   */
  readonly mayRun?: (command: string, chosenBy?: "repository" | "user") => Promise<boolean>;
  /** Whether the call may write a file that it finds only while it runs, without approval. Default: none. */
  readonly mayWrite?: (path: string) => Promise<boolean>;
  /**
   * Paths in the workspace or in `readable` that can be neither read nor written, by their names: secrets, and what rules
   * deny.
   */
  readonly isHidden?: (path: string) => boolean;
  /**
   * Returns those of these hidden files that commands see nevertheless, because only their names are secret: git has their
   * content. Default: none.
   */
  readonly shownFromGit?: (paths: readonly string[]) => ReadonlyMap<string, "writable" | "read-only">;
  /** Paths outside the workspace that rules hide by their full names, also in system directories. */
  readonly hiddenOutside?: readonly string[];
  /** Paths in the workspace or in `writable` that can be read but not written. */
  readonly isReadOnly?: (path: string) => boolean;
  /** Equal only for confinements whose `isHidden` and `isReadOnly` decide the same, also in another process. */
  readonly pathsKey?: string | undefined;
  /** Returns what these functions decide by, as JSON for another machine; see `confinedPaths`. */
  readonly pathRules?: () => unknown;
  /** Like `isReadOnly`, without files that are read-only only because git settings name them. */
  readonly isReadOnlyByRules?: (path: string) => boolean;
  /** Paths at the top of the workspace that must not be created, because editors, agents or git would run them. */
  readonly absent?: readonly AbsentPath[];
  /** Paths of this kind that this command may create or change nevertheless. */
  readonly lifted?: readonly string[];
  /** Set when the command only reads, as far as its analysis can tell, so that the workspace can be read-only. */
  readonly readsOnly?: true;
  /** Files and whole directories outside the workspace that the command may read. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  /** Directories outside the workspace that can be written where the sandbox can hide the secrets in them. */
  readonly writableIfHidden?: readonly string[];
  readonly variables?: VariablePolicy;
  /** Limits that replace the defaults. */
  readonly limits?: Partial<ResourceLimits>;
  /** Limits of an untrusted project, which apply where they are lower. */
  readonly limitsAtMost?: Partial<ResourceLimits>;
}

export interface AbsentPath {
  readonly path: string;
  /** "names": the last part of the path is a glob for names. */
  readonly kind: "file" | "directory" | "names";
}

/** Which environment variables a command gets. */
export interface VariablePolicy {
  /**
   * "most": all but secrets and what belongs to the user's own terminal; "core": an allow-list; "none": only what programs
   * cannot do without (PATH, HOME and the like).
   */
  readonly base: "most" | "core" | "all" | "none";
  /** Further names; `*` matches any part. */
  readonly extra: readonly string[];
}

/** Limits for a command and everything it starts, together. */
export interface ResourceLimits {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Maximum size of one file that it writes. */
  readonly fileBytes: number;
  /** Maximum of stdout and stderr together; above it the command is killed. */
  readonly outputBytes: number;
}
