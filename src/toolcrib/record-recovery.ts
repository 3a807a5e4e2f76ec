import type { RecoveredChange } from "../contract/environment.ts";
import type { Journal } from "../journal/journal.ts";
import { newIdentifier } from "../lib/identifier.ts";

/** Stands in the journal beside the calls: it changed files, too. */
export function recordRecovery(journal: Journal, { outcome, paths, leftAlone }: RecoveredChange): void {
  const attempt = {
    callId: newIdentifier("call"),
    tool: "environment.recover",
    input: { paths, leftAlone },
    startedAt: Date.now(),
  };
  const isSettled = outcome !== "failed";
  const message = isSettled ? `A change that a crash had interrupted was ${outcome}` : "It is tried again";
  journal.finish(attempt, {
    outcome: isSettled ? "ok" : "unavailable",
    message,
    outputHandle: undefined,
    durationMs: 0,
    account: {},
  });
}
