import type { Access, Risk } from "../contract/access.ts";
import type { DecisionRecord, SandboxLevel } from "../contract/call.ts";
import type { StartState } from "./commands/analyse-command.ts";
import type { Extent, SimpleCommand, Span } from "./commands/analysis.ts";
import type { PathTarget } from "./paths/path-target.ts";

/** Modes decide which calls run without approval. Deny rules hold in every mode. */
export const modes = ["safe", "cautious", "paranoid", "yolo"] as const;
export type Mode = (typeof modes)[number];

/** Where rules come from, the weakest first. `session`: answers that the user gave in this instance. */
export const levels = ["built-in", "user", "project", "granted", "command line", "session"] as const;
export type Level = (typeof levels)[number];

export interface RuleSource {
  readonly level: Level;
  /** A file's path, or "built-in", "--rule", "this session". */
  readonly name: string;
  readonly text: string;
  /** Only rules that tighten count: a project file in a folder that the user has not trusted. */
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
  /** Toolcrib's own programs, where a project has installed them: no tool writes them. */
  readonly code?: readonly string[];
  /** The data of the embedding program: no tool reads or writes it. */
  readonly served?: readonly string[];
  /** With extra roots: directories outside the workspace that tools may write without approval. */
  readonly writable?: readonly string[];
}

/** One thing a call would do, with a verdict of its own. */
export type Part =
  /** The tool as such: for rules about tools, and for calls that name nothing they would touch. */
  | {
      readonly kind: "use";
      readonly tool: string;
      readonly server: string | undefined;
      readonly risk: Risk;
      /** The other parts say what the call does. */
      readonly names: "everything" | "nothing";
    }
  | PathPart
  | HostPart
  | { readonly kind: "run"; readonly command: SimpleCommand; readonly in: CommandSegment }
  /** A part of a command that only the shell will understand. */
  | { readonly kind: "unclear"; readonly reason: string; readonly in: CommandSegment };

export interface PathPart {
  readonly kind: "read" | "write" | "delete";
  /** As written in the call or command. */
  readonly path: string;
  readonly target: PathTarget;
  readonly risk: Risk;
  /** Git writes its own files: built-in ask rules for them do not apply. */
  readonly by?: "git" | undefined;
  /** An unknown program was given the path: only rules that refuse paths apply. */
  readonly mentioned?: true;
  /** How much of it is read. Names and attributes are not secret. */
  readonly extent?: Extent | undefined;
  readonly in?: CommandSegment;
}

export interface HostPart {
  readonly kind: "connect";
  readonly spelling: string;
  /** As rules see it; undefined if that is only known when it runs. */
  readonly host: string | undefined;
  /** A program was given the address, or finds one by itself: only deny rules apply. */
  readonly mentioned?: true;
  readonly in?: CommandSegment;
}

export interface CommandSegment {
  readonly command: string;
  readonly span: Span;
}

export interface PartVerdict {
  readonly part: Part;
  readonly verdict: "allow" | "ask" | "deny";
  readonly risk: Risk;
  /** The rule that decided; undefined when the mode did. */
  readonly rule: RuleOrigin | undefined;
  /** It asks whatever rules allow, and cannot be granted. */
  readonly firm?: true;
  /** It would run without a sandbox, which a grant must allow too. */
  readonly bare?: true | undefined;
  /** For users and models: "mode cautious asks before commands run". */
  readonly reason: string;
}

/** The decision about a call: its strictest verdict. */
export interface Decision {
  readonly verdict: "allow" | "ask" | "deny";
  readonly risk: Risk;
  /** The sandbox of its commands; "none" also where rules take them out of the sandbox. */
  readonly sandbox: SandboxLevel;
  /** Rules take all its commands out of the sandbox. */
  readonly unconfined?: true | undefined;
  /** The part that decided: its rule and reason are those of the call. */
  readonly decisive: PartVerdict;
  readonly parts: readonly PartVerdict[];
  readonly record: DecisionRecord;
}

/** Where a link leads that leaves the workspace: no path has this name. */
export const outsideWorkspace = "/\0";

export interface Question {
  readonly mode: Mode;
  readonly tool: { readonly name: string; readonly server?: string | undefined; readonly risk: Risk };
  readonly accesses: readonly Access[];
  readonly sandbox: SandboxLevel;
  /** The real path of each named path whose spelling differs from it. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** The state of the open shells that this call uses, by name; missing for a new shell. */
  readonly shells?: ReadonlyMap<string, StartState> | undefined;
  /**
   * For each directory that commands read recursively, by `searchOf`: a refused path below it or a link out of the
   * workspace, else undefined. Missing when it was not searched to the end.
   */
  readonly refusedBelow?: ReadonlyMap<string, string | undefined>;
}

/** A directory to look below, and whether hidden files count. */
export function searchOf(path: string, extent: Extent | undefined): string {
  return extent === "visible" ? `${visibleIn}${path}` : path;
}

export const visibleIn = "visible in ";
