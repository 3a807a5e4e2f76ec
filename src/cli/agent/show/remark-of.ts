import type { AgentEvent, AgentHappening } from "../../../agent/event.ts";
import { counted } from "../../../lib/counted.ts";
import { printableLine } from "../../../lib/printable.ts";
import type { Tone } from "../../terminal.ts";
import { grouped } from "./tell-numbers.ts";

type Of<Type extends AgentHappening["type"]> = Extract<AgentEvent, { type: Type }>;

/** What is worth one line of its own, whatever goes on beside it. */
export function remarkOf(event: AgentEvent): { readonly tone: Tone; readonly line: string } | undefined {
  switch (event.type) {
    case "session-start":
      return event.agent === undefined
        ? {
            tone: "dim",
            line: `${event.isResumed ? "Going on with" : "Session"} ${event.session}: ${printableLine(event.model)}`,
          }
        : undefined;
    case "steering":
      return { tone: "dim", line: `Told the model: ${printableLine(event.text)}` };
    case "user-input":
      return event.agent === undefined
        ? undefined
        : { tone: "dim", line: `asked: ${printableLine(event.text.slice(0, maxChars))}` };
    case "compaction":
      return { tone: "dim", line: `The conversation was made shorter: ${tellCompaction(event)}` };
    case "model":
      return { tone: "dim", line: `From now on: ${printableLine(event.model)}${tellReasoning(event)}` };
    case "limit":
      return { tone: "yellow", line: `Stopped by a limit: ${tellLimit(event)}` };
    case "loop":
      return { tone: "yellow", line: tellLoop(event) };
    case "warning":
      return { tone: "yellow", line: printableLine(event.message) };
    default:
      return undefined;
  }
}

function tellCompaction({ tokensBefore, tokensAfter }: Of<"compaction">): string {
  return `${grouped(tokensBefore)} tokens became ${grouped(tokensAfter)}`;
}

function tellReasoning({ reasoning }: Of<"model">): string {
  return reasoning === null ? "" : `, reasoning ${reasoning}`;
}

function tellLimit({ limit, allowed }: Of<"limit">): string {
  return limit === "cost" ? `$${allowed}` : counted(allowed, limit.slice(0, -1));
}

function tellLoop({ action, calls, times }: Of<"loop">): string {
  const names = calls.map((call) => printableLine(call.slice(0, maxChars))).join(", ");
  const what =
    action === "warned" ? "The model repeats itself and was told so" : "Stopped: the model repeats itself";
  return `${what}: ${names === "" ? "replies that cannot be read" : names}, ${counted(times, "time")}`;
}

const maxChars = 120;
