import type { ToolCall } from "../contract/call.ts";
import type { Conversations } from "../contract/conversations.ts";
import type { RecoveredChange } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { ChangeHistory } from "../contract/history.ts";
import { lazyScanner } from "../engine/journal/effects/lazy-scanner.ts";
import type { Scanner } from "../engine/journal/effects/scanner.ts";
import { type Blobs, openBlobs } from "../journal/blobs.ts";
import { Collector, journalBudget, outputBudget } from "../journal/collect/collector.ts";
import { StoredConversations } from "../journal/conversations.ts";
import { Journal } from "../journal/journal.ts";
import { type OutputStore, openOutputStore } from "../journal/output-store.ts";
import { WorkspaceTransactions } from "../journal/transactions/transactions.ts";
import { lazyHistory } from "../journal/undo/lazy-history.ts";
import { protecting } from "../journal/undo/plan-undo.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { mayUndo } from "../pipeline/declared-writes.ts";
import { RedactedStream, redactionOfRecords } from "../policy/redaction/redact.ts";
import { attempt } from "../system/attempt.ts";
import { realLocation } from "../system/directories.ts";
import { identityOf } from "../system/sqlite-file.ts";
import { TransactionMarks } from "../system/transaction-marks.ts";
import type { Workspace } from "./open-workspace.ts";
import type { ToolcribOptions } from "./options.ts";

interface HistoryOptions
  extends Pick<ToolcribOptions, "journal" | "undoScope" | "parkTransaction" | "client"> {
  readonly session: string;
  /** Whether the process exits when the instance is closed. */
  readonly exits: boolean;
}

/** The journal of a workspace, with all that undo, transactions and stored outputs need. */
export interface WorkspaceHistory {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly outputs: OutputStore;
  readonly conversations: Conversations;
  readonly scanner: Scanner;
  readonly transactions: WorkspaceTransactions;
  /** The changes of earlier calls, as one call may see and undo them. */
  readonly historyFor: (call: ToolCall) => ChangeHistory;
  /** Ends processes whose Toolcrib process no longer exists, and restores what the sandbox changed for them. */
  readonly endAbandoned: () => Promise<void>;
  /** The list of what `endAbandoned` has restored, for the user. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export function openHistory(workspace: Workspace, options: HistoryOptions): WorkspaceHistory {
  const { environment, files, unguarded } = workspace;
  const { session, exits } = options;
  const { guard } = workspace.policy;
  const journal = new Journal({
    file: files.journal,
    session,
    client: options.client ?? { kind: "library" },
    workspace: workspace.id,
    redact: redactionOfRecords(),
  });
  const budget = journalBudget(options.journal);
  const isNew = attempt(() => identityOf(files.journal)) === undefined;
  const collector = new Collector({ journal, folder: files.blobs, scans: files.scans, budget, isNew });
  const blobs = openBlobs(files.blobs);
  environment.useContents?.(blobs);
  const without = environment.ownDirectories ?? [workspace.state, workspace.config].map(realLocation);
  const warnings: string[] = [];
  const endAbandoned = async () => {
    warnings.push(...(await workspace.endAbandoned()));
  };
  const scanner = lazyScanner({ environment, journal, blobs, folder: files.scans, without, endAbandoned });
  const settle = () => scanner.settle();
  const marks = new TransactionMarks(files.transactions);
  const parks = options.parkTransaction ?? false;
  const parts = { journal, blobs, unguarded, guard };
  const scope =
    options.undoScope === "workspace"
      ? ({ session, calls: "workspace" } as const)
      : ({ session, calls: "session", refuses: protecting(guard, workspace.path) } as const);
  return {
    journal,
    blobs,
    outputs: openOutputStore(workspace.storedOutputs, {
      redacting: () => new RedactedStream(),
      maxBytes: outputBudget(),
    }),
    conversations: new StoredConversations(journal),
    scanner,
    transactions: new WorkspaceTransactions({ ...parts, session, scanner, endAbandoned, marks, parks }),
    historyFor: (call) => lazyHistory({ ...parts, callId: call.id, scope, settle, mayUndo: mayUndo(call) }),
    endAbandoned,
    warnings,
    close: async () => {
      await collector.close();
      journal.close({ exits });
    },
  };
}

/** Refuses a session that this workspace has no record of. */
export function expectSession({ journal, conversations }: WorkspaceHistory, session: string): void {
  const isKnown =
    journal.sessions(session).length > 0 || conversations.entries(session, { to: 1 }).length > 0;
  if (isKnown) return;
  throw new ToolError("not-found", `This workspace has no session ${session}`, {
    hint: "Leave out `session` to start a new one. To list sessions, run: toolcrib sessions list",
  });
}

/**
 * Claims the session when it is resumed, records the interrupted changes that the environment has settled after a
 * crash, and settles an interrupted transaction. Returns all of these changes.
 */
export async function recoverChanges(
  { journal, transactions }: WorkspaceHistory,
  { recovered = [] }: Workspace["environment"],
  { isResumed }: { readonly isResumed: boolean },
): Promise<readonly RecoveredChange[]> {
  if (isResumed) journal.claim();
  for (const change of recovered) recordRecovery(journal, change);
  return [...recovered, ...(await transactions.enter())];
}

/** Records a recovery like a call, because it changes files. */
function recordRecovery(journal: Journal, { outcome, paths, leftAlone }: RecoveredChange): void {
  const attempt = {
    callId: newIdentifier("call"),
    tool: "environment.recover",
    input: { paths, leftAlone },
    startedAt: Date.now(),
  };
  const isSettled = outcome !== "failed";
  const message = isSettled
    ? `A change that a crash had interrupted was ${outcome}`
    : "A change that a crash had interrupted could not be settled yet";
  journal.finish(attempt, {
    outcome: isSettled ? "ok" : "unavailable",
    message,
    outputHandle: undefined,
    durationMs: 0,
    account: {},
  });
}
