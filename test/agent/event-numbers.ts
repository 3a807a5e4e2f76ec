import type { AgentEvent } from "../../src/agent/event.ts";
import { rounds } from "../support/rounds.ts";

/** The numbers of these events, from 1: those of the first event of each kind, and of more in `npm run test:long`. */
export function eventNumbers(
  events: readonly AgentEvent[],
  kindOf: (event: AgentEvent) => string,
): readonly number[] {
  const each = rounds(1);
  const seen = new Map<string, number>();
  return events.flatMap((event, index) => {
    const kind = kindOf(event);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    return count <= each ? [index + 1] : [];
  });
}
