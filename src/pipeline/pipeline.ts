import type { Environment } from "../contract/environment.ts";
import type { Scanner } from "../engine/journal/effects/scanner.ts";
import type { Blobs } from "../journal/blobs.ts";
import type { Journal } from "../journal/journal.ts";
import type { OutputStore } from "../journal/output-store.ts";
import type { WorkspaceTransactions } from "../journal/transactions/transactions.ts";
import type { CallEvents } from "./call-events.ts";
import type { PolicySettings } from "./decide-call.ts";
import type { Hooks } from "./hooks/hooks.ts";
import { runTool, type Services } from "./run-tool.ts";
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
import { runHooks } from "./stages/run-hooks.ts";
import { takeShellTurns } from "./stages/take-shell-turns.ts";
import { takeTurns } from "./stages/take-turns.ts";

/** Everything that the stages and the tools use. */
export interface PipelineParts extends Services {
  readonly environment: Environment;
  readonly events: CallEvents;
  readonly journal: Journal;
  readonly outputs: OutputStore;
  readonly blobs: Blobs;
  readonly scanner: Scanner;
  readonly policy: PolicySettings;
  readonly hooks?: Hooks | undefined;
  /** The most tokens of one result that a model is shown. */
  readonly maxShownTokens?: number | undefined;
  readonly transactions: WorkspaceTransactions;
  /** The name of the target, for the commands in hints. */
  readonly target?: string | undefined;
}

/**
 * Opens the pipeline. Every call of every tool passes these stages from top to bottom, and its outcome passes them from
 * bottom to top. A new cross-cutting rule is one file in stages/ and one line here.
 */
export function openPipeline(parts: PipelineParts): Next {
  return compose(
    [
      emitEvents(parts.events),
      recordJournal(parts.journal),
      catchErrors(parts.target),
      rejectInvalidInput(parts.settings),
      takeShellTurns(),
      runHooks(parts.hooks),
      checkPolicy(parts.policy, parts),
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
