import type { Session } from "../../../agent/session.ts";
import { counted } from "../../../lib/counted.ts";
import { grouped, tellUse } from "../show/tell-numbers.ts";

/** What a session has used so far, and how much room it has left. */
export function tellSessionUse({ id, usage, cost, context, turns }: Session): string {
  const { tokens, window } = context;
  const share = window === null ? "" : ` of ${grouped(window)} (${Math.round((100 * tokens) / window)} %)`;
  return [
    `${id}: ${counted(turns, "turn")}, ${tellUse({ usage, cost })}`,
    `Context: ${grouped(tokens)} tokens${share}`,
  ].join("\n");
}
