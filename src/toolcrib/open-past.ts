import type { ToolCall } from "../contract/call.ts";
import type { Conversations } from "../contract/conversations.ts";
import type { History } from "../contract/history.ts";
import { RunRecords } from "../environment/local/processes/run-records.ts";
import { type Blobs, openBlobs } from "../journal/blobs.ts";
import { type JournalBudget, journalBudget, outputBudget } from "../journal/collect/budget.ts";
import { Collector } from "../journal/collect/collector.ts";
import { Journal } from "../journal/journal.ts";
import { KeptConversations } from "../journal/kept-conversations.ts";
import { type OutputStore, openOutputStore } from "../journal/output-store.ts";
import { lazyScanner } from "../journal/scan/lazy-scanner.ts";
import type { Scanner } from "../journal/scan/scanner.ts";
import { RoomTransactions } from "../journal/transactions/room-transactions.ts";
import { lazyHistory } from "../journal/undo/lazy-history.ts";
import { protecting } from "../journal/undo/protecting.ts";
import { RedactedStream, redactNamedText } from "../policy/redaction/redact.ts";
import { realLocation } from "../system/directories.ts";
import { TransactionMarks } from "../system/transaction-marks.ts";
import type { Place } from "./open-place.ts";

export interface PastOptions {
  readonly session: string;
  readonly journal?: Partial<JournalBudget>;
  readonly undoes?: "session" | "workspace";
  readonly parkTransaction?: boolean;
}

/** What is written down of the calls of a room, and the way back. */
export interface Past {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly outputs: OutputStore;
  readonly conversations: Conversations;
  readonly scanner: Scanner;
  readonly transactions: RoomTransactions;
  /** What earlier calls changed, as one call may see and undo it. */
  readonly historyFor: (call: ToolCall) => History;
  /** Ends what processes have left running that are gone, and removes what its sandboxes stood on. */
  readonly endAbandoned: () => Promise<void>;
  close(): Promise<void>;
}

export function openPast(place: Place, options: PastOptions): Past {
  const { environment, files, policy, workspace, unguarded } = place;
  const { session } = options;
  const { guard } = policy;
  const journal = new Journal({ file: files.journal, session, redact: redactNamedText });
  const budget = journalBudget(options.journal);
  const collector = new Collector({ journal, folder: files.blobs, scans: files.scans, budget });
  const blobs = openBlobs(files.blobs);
  const without = [place.state, place.config].map(realLocation);
  const started = new RunRecords(files.started);
  const endAbandoned = async () => {
    if (!(await started.endAbandoned())) return;
    const { Placeholders, placeholdersFolder } = await import("../sandbox/bubblewrap/placeholders.ts");
    new Placeholders(placeholdersFolder(files.sandbox)).removeAbandoned();
  };
  const scanner = lazyScanner({ environment, journal, blobs, folder: files.scans, without, endAbandoned });
  const settle = () => scanner.settle();
  const marks = new TransactionMarks(files.transactions);
  const parks = options.parkTransaction ?? false;
  const parts = { journal, blobs, unguarded, guard };
  const reach =
    options.undoes === "workspace"
      ? ({ session, calls: "workspace" } as const)
      : ({ session, calls: "session", refuses: protecting(guard, workspace) } as const);
  return {
    journal,
    blobs,
    outputs: openOutputStore(place.kept, {
      redacting: () => new RedactedStream(),
      maxBytes: outputBudget(),
    }),
    conversations: new KeptConversations(journal),
    scanner,
    transactions: new RoomTransactions({ ...parts, session, scanner, endAbandoned, marks, parks }),
    historyFor: ({ id, tool }) =>
      lazyHistory({ ...parts, callId: id, reach, settle, mayUndo: tool.risk !== "read" }),
    endAbandoned,
    close: async () => {
      await collector.close();
      journal.close();
    },
  };
}
