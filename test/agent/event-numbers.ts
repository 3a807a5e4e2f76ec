import type { AgentEvent } from "../../src/agent/event.ts";
import { repetitions } from "../support/repetitions.ts";

/** The numbers of these events, from 1; in a short run only those of the first event of each kind. */
export function eventNumbers(
  events: readonly AgentEvent[],
  kindOf: (event: AgentEvent) => string,
): readonly number[] {
  const each = repetitions(1, Number.POSITIVE_INFINITY);
  const seen = new Map<string, number>();
  return events.flatMap((event, index) => {
    const kind = kindOf(event);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= each ? [index + 1] : [];
  });
}
