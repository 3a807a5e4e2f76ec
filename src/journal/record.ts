import type { Access } from "../contract/access.ts";
import type { Account, DecisionRecord, SandboxLevel } from "../contract/call.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { Change } from "../contract/history.ts";

/** A call as it begins. */
export interface Attempt {
  readonly callId: string;
  /** Canonical name. */
  readonly tool: string;
  readonly input: unknown;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** How it ended. */
export interface Ending {
  readonly outcome: "ok" | ErrorCode;
  readonly message: string | undefined;
  readonly outputHandle: string | undefined;
  readonly durationMs: number;
  /** What became known on the way. */
  readonly account: Account;
}

/** All that is on record of one call. Without `outcome` it still runs, or its process died. */
export interface CallRecord {
  readonly callId: string;
  /** Where it stands in the journal: later calls have larger ones. */
  readonly sequence: number;
  readonly session: string;
  readonly tool: string;
  /** Long texts by their beginning, values that look like secrets left out. */
  readonly input: unknown;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly outcome: "ok" | ErrorCode | null;
  readonly message: string | null;
  readonly outputHandle: string | null;
  readonly decision: DecisionRecord | null;
  readonly accesses: readonly Access[];
  readonly sandbox: SandboxLevel | null;
  /** What an undo of this call will not bring back, each in one sentence. */
  readonly notCovered: readonly string[];
  /** How many files it changed. */
  readonly files: FileCounts;
}

export interface FileCounts {
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
}

/** A change as it stands in the journal. */
export type RecordedChange = Change & {
  readonly callId: string;
  /** Of the record; changes written down together share it, in their order. */
  readonly sequence: number;
};

/** Anything else in the journal: checkpoints, transactions, sessions, what was pruned or set aside. */
export interface JournalRecord {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly kind: string;
  readonly body: unknown;
}

/** Which calls are meant; all that is said must hold. */
export interface CallFilter {
  readonly session?: string;
  readonly tool?: string;
  /** Only those that ended with an error, or not at all. */
  readonly failed?: boolean;
  /** Only those that changed something. */
  readonly changing?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Only those after this place in the journal, and up to that one. */
  readonly after?: number;
  readonly upTo?: number;
  readonly limit?: number;
}

/** A session, as the journal knows it. */
export interface SessionRecord {
  readonly session: string;
  readonly openedAt: number;
  /** "died": it was not closed, and its process is gone. */
  readonly state: "open" | "closed" | "died";
  /** The number of the process that has it open. */
  readonly pid?: number;
}
