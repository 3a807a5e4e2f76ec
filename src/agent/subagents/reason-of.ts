import { counted } from "../../lib/counted.ts";
import type { AgentEvent, TurnResult } from "../event.ts";

/** Why a subagent gave no answer, for the agent that waits for it; `stoppedBy` is the limit or loop it came to. */
export function reasonOf({ error, text }: TurnResult, stoppedBy: AgentEvent | undefined): string {
  const reason = error ? [error.message, error.hint].filter((words) => words).join("\n") : stop(stoppedBy);
  return text === "" ? reason : `${reason}\nIts last words: ${text}`;
}

function stop(event: AgentEvent | undefined): string {
  if (event?.type === "loop") return `It repeated itself and was stopped: ${event.calls.join(", ")}`;
  if (event?.type !== "limit") return "It was stopped.";
  const { limit, allowed } = event;
  if (limit === "rounds") return `No answer within ${counted(allowed, "turn")}.`;
  const all = limit === "cost" ? `$${allowed}` : counted(allowed, limit === "tokens" ? "token" : "turn");
  return `The session has used all that it may: ${all}.`;
}
