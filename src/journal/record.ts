import type { ToolAccess } from "../contract/access.ts";
import type { Account, DecisionRecord, SandboxLevel } from "../contract/call.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { Change } from "../contract/history.ts";

/** A call as it begins. */
export interface Attempt {
  readonly callId: string;
  /** The canonical name. */
  readonly tool: string;
  readonly input: unknown;
  /** The call of the script that makes this call. */
  readonly parent?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The end of a call. */
export interface Ending {
  readonly outcome: "ok" | ErrorCode;
  readonly message: string | undefined;
  readonly outputHandle: string | undefined;
  readonly durationMs: number;
  /** Facts found during the call. */
  readonly account: Account;
}

/** All records of one call. Without `outcome` the call is still running, or its process died. */
export interface CallRecord {
  readonly callId: string;
  /** Later calls have larger numbers. */
  readonly sequence: number;
  readonly session: string;
  readonly tool: string;
  /** The input. Long texts are shortened, and values that look like secrets are removed. */
  readonly input: unknown;
  /** The call of the script that made this call. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly outcome: "ok" | ErrorCode | null;
  readonly message: string | null;
  readonly outputHandle: string | null;
  readonly decision: DecisionRecord | null;
  readonly accesses: readonly ToolAccess[];
  readonly sandbox: SandboxLevel | null;
  /** The effects that an undo of this call does not revert, each in one phrase. */
  readonly notCovered: readonly string[];
  /** Folders, relative to the workspace, in which it may have made further changes: an undo looks whether there are any. */
  readonly unseenFolders?: readonly string[] | undefined;
  /** The numbers of files that the call changed. */
  readonly files: FileCounts;
}

export interface FileCounts {
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
}

/** A change in the journal. */
export type RecordedChange = Change & {
  readonly callId: string;
  /** Changes that were recorded together have the same number and are in order. */
  readonly sequence: number;
};

/** Any other record: checkpoints, transactions, sessions, pruned records, replaced databases. */
export interface JournalRecord {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly kind: string;
  readonly body: unknown;
}

/** Selects calls by their records. All given conditions must hold. */
export interface CallFilter {
  readonly session?: string;
  /** Only calls that changed something. */
  readonly changing?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Only calls after this sequence number, and up to `upTo`. */
  readonly after?: number;
  readonly upTo?: number;
  readonly limit?: number;
}

/** Selects calls of a list. All given conditions must hold. */
export interface SummaryFilter {
  readonly session?: string;
  readonly tool?: string;
  /** Only calls that failed or did not end. */
  readonly failed?: boolean;
  /** Only calls that changed something. */
  readonly changing?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** The kind or the name of the client. */
  readonly client?: string;
  readonly target?: string;
  readonly verdict?: string;
  /** A path that the calls touched, or a folder that contains one; relative to the workspace, or absolute outside. */
  readonly path?: string;
  /** Words that must all be part of the tool, the title, the message or the beginning of the input, in any case. */
  readonly text?: string;
  /** Only calls before this sequence number: the `next` of the page before. */
  readonly before?: number;
  /** Only calls with a later record than this, in the order of their latest records. */
  readonly after?: number;
  /** Only calls that have ended. */
  readonly ended?: boolean;
  readonly limit?: number;
}

/** One call in a list. */
export interface CallSummary {
  readonly callId: string;
  /** Later calls have larger numbers. */
  readonly sequence: number;
  readonly session: string;
  readonly tool: string;
  /** One line: the command, the path, or the arguments. */
  readonly title: string;
  /** The call of the script that made this call. */
  readonly parent: string | null;
  /** Null when an earlier version recorded the call. */
  readonly client: Pick<ClientInfo, "kind" | "name" | "version"> | null;
  /** The machine of the workspace: see `targetOf`. */
  readonly target: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly outcome: "ok" | ErrorCode | null;
  /** The first line of the message. */
  readonly message: string | null;
  readonly verdict: DecisionRecord["verdict"] | null;
  readonly files: FileCounts;
  readonly isChanging: boolean;
}

/** The program that uses an instance. */
export interface ClientInfo {
  /** `cli` is one command, such as `toolcrib call`; `chat`, `run` and, in an editor, `acp` are agents. */
  readonly kind: "cli" | "chat" | "run" | "acp" | "mcp" | "library" | "console";
  /** The name and the version that an MCP client or an editor gave. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** "http": the server of this MCP client also serves others. */
  readonly transport?: "http" | undefined;
}

/** The description of a session that it records when it opens. */
export interface SessionOpening {
  /** Null when an earlier version recorded it. */
  readonly client: ClientInfo | null;
  /** The real path of the workspace, or its name when it is on a target. Null when an earlier version recorded it. */
  readonly workspace: string | null;
}

/** Returns the machine of a recorded workspace: "local", or a name such as `ssh:host:/srv/app`. */
export function targetOf(workspace: string | null): string {
  return workspace === null || workspace.startsWith("/") ? "local" : workspace;
}

/** Returns the folder of a recorded workspace on its machine, as far as its name says: `/srv/app` of `ssh:host:/srv/app`. */
export function folderOf(workspace: string): string {
  if (workspace.startsWith("/")) return workspace;
  // The words of a command and the folder of a devcontainer are paths of this machine.
  if (/(?:^|\+)(?:command|devcontainer):/.test(workspace)) return "/";
  return /:(\/(?!\/).*)$/s.exec(workspace)?.[1] ?? "/";
}

/** A recorded session. */
export interface SessionRecord extends SessionOpening {
  readonly session: string;
  readonly openedAt: number;
  /** "died" means that its process ended without closing it. */
  readonly state: "open" | "closed" | "died";
  /** The process that has it open. */
  readonly pid?: number;
  /** The identity of that process, see `runningProcess`. */
  readonly owner?: string;
}

/** How many calls a session made, and when the latest began. */
export interface SessionCalls {
  readonly calls: number;
  readonly lastAt: number;
}
