import type { Outcome } from "../../contract/call.ts";
import { toFailure } from "../../contract/error.ts";
import { monotonicMs } from "../../lib/clock.ts";
import type { CallEvents } from "../call-events.ts";
import type { Stage } from "../stage.ts";

/** Emits the start, progress, output and end of every call. */
export function emitEvents(events: CallEvents): Stage {
  return async (call, next) => {
    const startedAt = monotonicMs();
    const { name, canonical = name } = call.tool;
    const base = { callId: call.id, name, canonical, ...(call.parent && { parent: call.parent.id }) };
    if (!events.idle) events.emit({ ...base, type: "tool-start", at: Date.now(), input: call.input });
    const outcome = await next({
      ...call,
      notify: (notice) => {
        if (events.idle) return;
        const at = Date.now();
        if (notice.type === "progress") {
          const message = typeof notice.message === "string" ? notice.message : notice.message();
          events.emit({ ...base, message, type: "tool-progress", at });
        } else events.emit({ ...base, ...notice, type: "tool-output", at });
      },
    });
    if (!events.idle) {
      const durationMs = monotonicMs() - startedAt;
      events.emit({ ...base, type: "tool-end", ...ending(outcome), at: Date.now(), durationMs });
    }
    return outcome;
  };
}

function ending(outcome: Outcome) {
  if (!outcome.ok)
    return { output: outcome.error.output ?? "", isError: true, error: toFailure(outcome.error), data: null };
  const { fullText: output, isError = false, data } = outcome;
  return { output, isError, error: null, data };
}
