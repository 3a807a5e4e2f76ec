/**
 * What one command may reach, as the guardian has decided. Pure: the environment turns it into a sandbox, and whatever
 * is not named here is out of reach. Paths are absolute and real.
 */
export interface Confinement {
  /** Runs outside the sandbox, because a person has said so. */
  readonly unconfined?: true;
  /**
   * Whether it may connect to a host, by name or address as it asks for it; to none if not said. With the name that has led
   * to an address, and may be connected to: whether that holds for this address.
   */
  readonly mayConnect?: (host: string, port: number, name?: string) => boolean;
  /** The same for people, and to compare: the hosts as rules spell them, "*" for any. */
  readonly hosts?: readonly string[];
  /**
   * Whether the call may also run this command, a hook or filter of git, in its sandbox without asking anybody: judged
   * when it is asked about, like a command that a call names. None if not said.
   */
  readonly mayRun?: (command: string) => Promise<boolean>;
  /** Below the workspace or below what is readable: neither read nor written. Secrets, and what rules deny. */
  readonly isHidden?: (path: string) => boolean;
  /** Below the workspace or below what is writable: read, not written. */
  readonly isReadOnly?: (path: string) => boolean;
  /** What must not come into being in the workspace: what editors, agents and git would run by themselves. */
  readonly absent?: readonly AbsentPath[];
  /** Outside the workspace, below the home directory for example: files and directories with all in them. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  readonly variables?: VariablePolicy;
  /** Instead of the usual ones. */
  readonly limits?: Partial<ResourceLimits>;
  /** Where lower than those: what a folder's own rules ask for that nobody has trusted. */
  readonly limitsAtMost?: Partial<ResourceLimits>;
}

export interface AbsentPath {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** Which of our environment variables a command gets. */
export interface VariablePolicy {
  /** "core": the allow-list; "none": only what programs cannot do without (PATH, HOME and the like). */
  readonly base: "core" | "all" | "none";
  /** Names beside those; `*` stands for any part. */
  readonly extra: readonly string[];
}

/** For everything that one command has started, together. */
export interface ResourceLimits {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of one file that it writes. */
  readonly fileBytes: number;
  /** Of both outputs together: then it is ended. */
  readonly outputBytes: number;
}
