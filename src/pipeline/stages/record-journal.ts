import type { Failure } from "../../contract/call.ts";
import type { ToolError } from "../../contract/error.ts";
import type { AnyTool } from "../../contract/tool.ts";
import type { Attempt, Ending, Journal } from "../../journal/journal.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { Stage } from "../stage.ts";

/**
 * Records every call, including refused ones. A call that may change something is recorded before it runs, others in
 * batches when they end.
 */
export function recordJournal(journal: Journal): Stage {
  return async (call, next) => {
    const started = monotonicMs();
    const tool = call.tool.canonical ?? call.tool.name;
    const { id: callId, input, parent } = call;
    const attempt = { callId, tool, input, parent: parent?.id, startedAt: Date.now() };
    const outcome = recordStart(journal, call.tool, attempt) ?? (await next(call));
    const ending = {
      durationMs: monotonicMs() - started,
      account: call.account,
      ...(outcome.ok
        ? { outcome: "ok", message: outcome.failed, outputHandle: outcome.truncated?.handle }
        : {
            outcome: outcome.error.code,
            message: outcome.error.message,
            outputHandle: outcome.error.kept?.handle,
          }),
    } satisfies Ending;
    // The changes of a script are those of its calls, which have records of their own.
    journal.finish(attempt, ending, {
      mayWait: call.tool.makesCalls === true && call.tool.risk === "read",
    });
    return outcome;
  };
}

/**
 * Records the start, which may wait when only the calls that it makes can change something. Returns the failure when the
 * call cannot be recorded and therefore must not run.
 */
function recordStart(journal: Journal, { risk, makesCalls }: AnyTool, attempt: Attempt): Failure | undefined {
  if (risk === "read" && !makesCalls) return undefined;
  try {
    journal.begin(attempt, { mayWait: risk === "read" });
    return undefined;
  } catch (error) {
    return { ok: false, error: error as ToolError };
  }
}
