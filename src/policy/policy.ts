import type { ToolAccess, ToolRisk } from "../contract/access.ts";
import type { DecisionRecord, SandboxLevel } from "../contract/call.ts";
import type { ToolError } from "../contract/error.ts";
import type { SimpleCommand, Span, StartState } from "../engine/policy/commands/command.ts";
import type { PathTarget } from "./paths/path-target.ts";

/** Modes decide which calls run without approval. Deny rules hold in every mode. */
export const policyModes = ["safe", "cautious", "paranoid", "yolo"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** The sources of rules, weakest first. `session` are the answers that the user gave in this instance. */
export const levels = ["built-in", "user", "project", "granted", "command line", "session"] as const;
export type Level = (typeof levels)[number];

export interface RuleSource {
  readonly level: Level;
  /** A file's path, or "built-in", "--rule", "this session". */
  readonly name: string;
  readonly text: string;
  /** Whether only rules that tighten count, because the user has not trusted the project's folder. */
  readonly onlyTightens?: true | undefined;
}

export interface RuleOrigin extends Omit<RuleSource, "onlyTightens"> {
  readonly line: number;
}

/** The directories that rules and calls refer to. */
export interface PathContext {
  readonly workspace: string;
  readonly home: string;
  /** Toolcrib's own directories, which no tool reads or writes. */
  readonly own: readonly string[];
  /** Toolcrib's own programs, if a project has installed them. No tool writes them. */
  readonly code?: readonly string[];
  /** The data of the embedding program. No tool reads or writes it. */
  readonly served?: readonly string[];
  /** With extra roots: directories outside the workspace that tools may write without approval. */
  readonly writable?: readonly string[];
  /** The directories of `writable` that sandboxed commands may write, too. */
  readonly forCommands?: readonly string[];
  /** Looks at an entry whose name alone does not tell whether it is secret. Default: names decide. */
  readonly lookAt?: (path: string) => LookedAt;
  /** Whether a file makes its directory a repository that git obeys, or is a setting of one. Default: none. */
  readonly isOfRepository?: (path: string) => boolean;
  /** Returns those of these files whose content git has in HEAD or in the index. Default: none. */
  readonly inGit?: (paths: readonly string[]) => ReadonlySet<string>;
}

/** "public keys": a file with nothing else in it. Undefined for any other file, and without an entry. */
export type LookedAt = "public keys" | "directory" | undefined;

/** One action of a call, with a separate verdict. */
export type PolicyPart =
  /** The tool itself, for rules about tools and for calls that do not name their accesses. */
  | {
      readonly kind: "use";
      readonly tool: string;
      readonly server: string | undefined;
      readonly definition?: string | undefined;
      readonly risk: ToolRisk;
      /** Whether the other parts describe everything that the call does. */
      readonly names: "everything" | "nothing";
    }
  | PathPart
  | HostPart
  | {
      readonly kind: "run";
      readonly command: SimpleCommand;
      /** Whether no program of the whole command does more than read, so that it gets a read-only workspace. */
      readonly readsOnly?: true | undefined;
      readonly in: CommandSegment;
    }
  /** A part of a command that is more than plain words, so that no rule allows it. */
  | {
      readonly kind: "unclear";
      readonly reason: string;
      readonly readsOnly?: true | undefined;
      /** Whether the reason is a syntax error. */
      readonly isSyntax?: true | undefined;
      readonly in: CommandSegment;
    };

export interface PathPart {
  readonly kind: "read" | "write" | "delete";
  /** The path as written in the call or command. */
  readonly path: string;
  readonly target: PathTarget;
  readonly risk: ToolRisk;
  /** Whether git writes its own files. Built-in ask rules for them do not apply. */
  readonly by?: "git" | undefined;
  /** Whether an unknown program got the path. Only rules that refuse paths apply. */
  readonly mentioned?: true;
  /** Whether only the name and attributes are read, which are not secret. */
  readonly namesOnly?: true | undefined;
  readonly in?: CommandSegment;
}

interface HostPart {
  readonly kind: "connect";
  readonly spelling: string;
  /** The host as rules see it; undefined if it is known only at run time. */
  readonly host: string | undefined;
  /** Whether a program got the address, or finds one by itself. Only deny rules apply. */
  readonly mentioned?: true;
  readonly in?: CommandSegment;
}

export interface CommandSegment {
  readonly command: string;
  readonly span: Span;
}

export interface PolicyVerdict {
  readonly part: PolicyPart;
  readonly verdict: "allow" | "ask" | "deny";
  readonly risk: ToolRisk;
  /** The rule that decided; undefined when the mode did. */
  readonly rule: RuleOrigin | undefined;
  /** Whether the part needs approval despite any rule, and cannot be granted. */
  readonly firm?: true;
  /** Whether plan mode denies the part. */
  readonly planned?: true;
  /** Set for a part that leads outside the workspace, which no rule allows to a tool: the error of the environment. */
  readonly outside?: ToolError;
  /** Whether the part would run without a sandbox, which a grant must allow too. */
  readonly bare?: true | undefined;
  /** The reason for users and models: "mode cautious asks before commands run". */
  readonly reason: string;
}

/** The decision about a call: its strictest verdict. */
export interface Decision {
  readonly verdict: "allow" | "ask" | "deny";
  readonly risk: ToolRisk;
  /** The sandbox of its commands; "none" also when rules take them out of the sandbox. */
  readonly sandbox: SandboxLevel;
  /** Whether rules take all its commands out of the sandbox. */
  readonly unconfined?: true | undefined;
  /** The part that decided: its rule and reason are those of the call. */
  readonly decisive: PolicyVerdict;
  readonly parts: readonly PolicyVerdict[];
  readonly record: DecisionRecord;
}

/** The target of a link that leaves the workspace. No path has this name. */
export const outsideWorkspace = "/\0";

export interface Question {
  readonly mode: PolicyMode;
  /** Whether plan mode denies everything but reads. */
  readonly isPlanning?: boolean;
  readonly tool: {
    readonly name: string;
    readonly server?: string | undefined;
    readonly risk: ToolRisk;
    /** The hash of the definition that its server gives. */
    readonly definition?: string | undefined;
  };
  readonly accesses: readonly ToolAccess[];
  readonly sandbox: SandboxLevel;
  /** Whether `cautious` also asks before commands that only read, as some dialects promise. */
  readonly asksBeforeCommands?: true | undefined;
  /** Whether the loopback leads the call to servers of commands only, as long as no rule lets it connect to this machine. */
  readonly reachesOwnServers?: boolean | undefined;
  /** The real path of each named path whose spelling differs from it. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** Those real paths outside the workspace that commands in the sandbox can read without a rule. */
  readonly seenOutside?: ReadonlySet<string> | undefined;
  /** The paths, as written in the call, that the environment refuses to its tool because they lead outside. */
  readonly outside?: ReadonlyMap<string, ToolError> | undefined;
  /** The state of the open shells that this call uses, by name; missing for a new shell. */
  readonly shells?: ReadonlyMap<string, StartState> | undefined;
  /** In `cautious`: the paths whose change undo would not restore, as written in the call, and why. */
  readonly notCovered?: ReadonlyMap<string, string>;
  /** Why undo does not cover what commands change in this workspace; missing when it does. */
  readonly undoLacks?: string | undefined;
  /** Under Landlock, which cannot hide them: whether the workspace contains a secret, or may. */
  readonly holdsSecrets?: boolean | undefined;
}
