import type { ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import type { History } from "../contract/history.ts";
import type { Blobs } from "../journal/blobs.ts";
import type { Journal } from "../journal/journal.ts";
import type { OutputStore } from "../journal/output-store.ts";
import type { Scanner } from "../journal/scan/scanner.ts";
import type { RoomTransactions } from "../journal/transactions/room-transactions.ts";
import type { PolicySettings } from "./approvals/policy-settings.ts";
import type { CallEvents } from "./call-events.ts";
import { type Room, runTool } from "./run-tool.ts";
import { compose, type Next } from "./stage.ts";
import { catchErrors } from "./stages/catch-errors.ts";
import { checkPolicy } from "./stages/check-policy.ts";
import { confineCommands } from "./stages/confine-commands.ts";
import { emitEvents } from "./stages/emit-events.ts";
import { keepUndo } from "./stages/keep-undo.ts";
import { limitOutput } from "./stages/limit-output.ts";
import { limitTime } from "./stages/limit-time.ts";
import { recordJournal } from "./stages/record-journal.ts";
import { redactSecrets } from "./stages/redact-secrets.ts";
import { rejectInvalidInput } from "./stages/reject-invalid-input.ts";
import { takeShellTurns } from "./stages/take-shell-turns.ts";
import { takeTurns } from "./stages/take-turns.ts";

/** What the counter is built from. */
export interface PipelineParts {
  readonly environment: Environment;
  readonly events: CallEvents;
  readonly journal: Journal;
  readonly outputs: OutputStore;
  readonly blobs: Blobs;
  readonly scanner: Scanner;
  readonly guardian: PolicySettings;
  /** What is shown of one answer. */
  readonly maxShownTokens?: number | undefined;
  /** What earlier calls changed, as one call may see and undo it. */
  readonly historyFor: (call: ToolCall) => History;
  readonly transactions: RoomTransactions;
  /** What runs beside the calls. */
  readonly processes: Room["processes"];
  readonly shells: Room["shells"];
  readonly agents: Room["agents"];
  readonly code: Room["code"];
  readonly documents: Room["documents"];
  readonly tools: Room["tools"];
  readonly settings: Room["settings"];
}

/**
 * The counter: every call of every tool goes down this list and its outcome comes back up.
 * A new cross-cutting rule is one file in stages/ and one line here.
 */
export function openPipeline(parts: PipelineParts): Next {
  return compose(
    [
      emitEvents(parts.events),
      recordJournal(parts.journal),
      catchErrors,
      rejectInvalidInput(parts.settings),
      takeShellTurns(),
      checkPolicy(parts.guardian, parts),
      confineCommands,
      takeTurns(parts.environment),
      keepUndo(parts),
      limitTime,
      limitOutput(parts.outputs, parts.maxShownTokens),
      redactSecrets,
    ],
    runTool(parts.environment, parts),
  );
}
