import type { CallEvent, Outcome } from "../../contract/call.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { CallEvents } from "../call-events.ts";
import type { Stage } from "../stage.ts";

/** Emits the start, progress, output and end of every call. */
export function emitEvents(events: CallEvents): Stage {
  return async (call, next) => {
    const startedAt = monotonicMs();
    const base = { callId: call.id, tool: call.tool.canonical ?? call.tool.name };
    if (!events.idle) events.emit({ ...base, type: "start", at: Date.now(), input: call.input });
    const outcome = await next({
      ...call,
      notify: (notice) => {
        if (!events.idle) events.emit({ ...base, ...notice, at: Date.now() });
      },
    });
    if (!events.idle) {
      const durationMs = monotonicMs() - startedAt;
      events.emit({ ...base, ...ending(outcome), at: Date.now(), durationMs } as CallEvent);
    }
    return outcome;
  };
}

function ending(outcome: Outcome) {
  if (outcome.ok) return { type: "end", result: outcome };
  const denied = outcome.error.code === "denied" || outcome.error.code === "needs-approval";
  return { type: denied ? "denied" : "error", error: outcome.error };
}
