import type { AgentEvent, AgentFailure } from "../../agent/event.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { quoteText } from "../approvals/show-request.ts";
import { paint, type Tone } from "../terminal.ts";
import { Activity, ModelText, showModelText } from "./activity.ts";
import {
  callEndLine,
  callStartLine,
  diffOf,
  formatTime,
  formatUsage,
  grouped,
  showDiff,
} from "./call-lines.ts";
import { InnerCalls } from "./inner-calls.ts";
import { cutTo, type Screen } from "./screen.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

type Shows = { readonly [Type in AgentEvent["type"]]?: (event: Of<Type>) => void };

/** The subagent of an event; undefined for the session itself. */
type From = Pick<AgentEvent, "agent">;

/**
 * Shows a session to the user. The model's text goes to standard output: streamed on a terminal, otherwise only the
 * complete answer. Everything else goes to standard error, in lines.
 */
export class EventPrinter {
  readonly #screen: Screen;
  readonly #activity: Activity;
  readonly #isVerbose: boolean;
  readonly #target: string | undefined;
  readonly #text = new ModelText();
  readonly #starts = new Map<string, string>();
  readonly #inner = new Map<string, InnerCalls>();
  /** The text since the last reply that called tools. */
  #answer = "";
  /** The text of the current reply. */
  #reply = "";
  #workspace = "";
  #turnStart = 0;
  #shownError = "";

  constructor(
    screen: Screen,
    { verbose, target }: { readonly verbose: boolean; readonly target?: string | undefined },
  ) {
    this.#screen = screen;
    this.#activity = new Activity(screen);
    this.#isVerbose = verbose;
    this.#target = target;
  }

  show(event: AgentEvent): void {
    const remark = remarkOf(event);
    if (remark) this.#showLine(...remark, event);
    const isShown = event.agent === undefined || !ofSessionOnly.has(event.type);
    if (isShown) (this.#shows[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
  }

  stop(): void {
    this.#activity.stop();
    this.#screen.endLine();
  }

  readonly #shows: Shows = {
    "session-start": ({ workspace }) => {
      this.#workspace = workspace;
    },
    "turn-start": ({ at }) => {
      this.#turnStart = at;
    },
    "round-start": (event) => this.#waitForModel(event),
    "text-start": () => {
      if (this.#reply !== "" && !this.#reply.endsWith("\n")) this.#print("\n");
    },
    "text-delta": (event) => {
      if (this.#screen.outputs.isWatched) this.#activity.end(modelOf(event));
      else this.#activity.note(modelOf(event), "(writing)");
      this.#print(event.text);
    },
    "text-end": (event) => {
      this.#screen.print(this.#text.end());
      this.#screen.endText();
      // Writing the arguments of a call may take as long as text.
      if (this.#screen.outputs.isWatched) this.#waitForModel(event);
    },
    "reasoning-start": (event) => this.#activity.note(modelOf(event), "(thinking)"),
    "reasoning-end": (event) => this.#quote(event.text, event),
    "reply-end": (event) => this.#endReply(event),
    "tool-start": (event) => {
      const start = callStartLine(event, this.#workspace);
      this.#starts.set(callOf(event), start);
      this.#activity.end(modelOf(event));
      this.#activity.begin(callOf(event), prefixed(event, start));
    },
    "tool-progress": (event) => this.#activity.note(callOf(event), event.message),
    "inner-start": (event) => {
      const inner = this.#inner.get(callOf(event)) ?? new InnerCalls();
      this.#inner.set(callOf(event), inner);
      inner.start(event, this.#workspace);
    },
    "inner-end": (event) => this.#inner.get(callOf(event))?.end(event),
    "tool-output": (event) => {
      this.#quote(event.text, event);
      this.#activity.note(callOf(event), lastLine(event.text));
    },
    "tool-end": (event) => this.#endCall(event),
    retry: (event) => this.#retry(event),
    error: ({ error, ...event }) => this.#fail(error, event),
    "turn-end": (event) => this.#endTurn(event),
  };

  #waitForModel(event: From): void {
    this.#activity.begin(modelOf(event), prefixed(event, "waiting for the model"));
  }

  #print(text: string): void {
    if (this.#screen.outputs.isWatched) this.#screen.print(this.#text.add(text));
    this.#reply += text;
  }

  #endReply({ reason, ...event }: Of<"reply-end">): void {
    this.#activity.end(modelOf(event));
    if (event.agent !== undefined) return;
    this.#keepReply();
    this.#screen.endLine();
    if (reason === "calls") this.#setAside();
  }

  #keepReply(): void {
    this.#screen.print(this.#text.end());
    const gap = this.#answer === "" || this.#answer.endsWith("\n") || this.#reply === "" ? "" : "\n";
    this.#answer += gap + this.#reply;
    this.#reply = "";
  }

  /** Writes the text before a call to standard error, because it is not the answer. */
  #setAside(): void {
    const isSeen = this.#screen.outputs.isWatched || this.#answer.trim() === "";
    if (!isSeen) this.#screen.showLine(showModelText(this.#answer.trimEnd()));
    this.#answer = "";
  }

  #endCall(event: Of<"tool-end">): void {
    const { isError, data, callId, durationMs } = event;
    const start = this.#starts.get(callOf(event)) ?? printableLine(event.canonical);
    this.#starts.delete(callOf(event));
    this.#activity.end(callOf(event));
    const columns = this.#screen.outputs.columns();
    const time = formatTime(durationMs);
    const end = cutTo(callEndLine(event), Math.max(40, columns - time.length - 6));
    const tail = end === "" ? time : `${end}  ${time}`;
    const head = cutTo(prefixed(event, start), Math.max(30, columns - tail.length - 3));
    this.#screen.showLine(`${head}  ${paint(2, isError ? "red" : "dim", tail)}`);
    for (const line of this.#inner.get(callOf(event))?.lines() ?? [])
      this.#showLine("dim", cutTo(`  ${line}`, columns), event);
    this.#inner.delete(callOf(event));
    const diff = diffOf(data);
    const shown = { columns, callId, whole: this.#isVerbose, target: this.#target };
    if (diff !== "") this.#screen.showLine(showDiff(diff, shown));
  }

  #retry(event: Of<"retry">): void {
    const isLost = event.agent === undefined && this.#reply !== "";
    if (isLost) {
      this.#text.end();
      this.#reply = "";
    }
    this.#showLine("yellow", retryLine(event, { isLost }), event);
    this.#activity.begin(modelOf(event), prefixed(event, "waiting to retry"));
  }

  #fail(error: AgentFailure, event: From): void {
    this.#shownError = error.message;
    this.#activity.end(modelOf(event));
    this.#showLine("red", failureLine(error), event);
    if (error.hint) this.#screen.showLine(prefixed(event, printable(error.hint)));
  }

  #endTurn(event: Of<"turn-end">): void {
    this.#activity.stop();
    this.#keepReply();
    if (event.outcome === "completed" && !this.#screen.outputs.isWatched) {
      this.#screen.print(this.#answer);
      this.#answer = "";
    }
    this.#setAside();
    this.#screen.endLine();
    if (event.error && event.error.message !== this.#shownError) this.#fail(event.error, {});
    this.#shownError = "";
    for (const [tone, line] of turnEndLines(event, this.#turnStart)) this.#showLine(tone, line, {});
  }

  /** Quotes a text, only with --verbose. */
  #quote(text: string, event: From): void {
    if (!this.#isVerbose || text === "") return;
    const lines = quoteText(plainTerminalText(text), this.#screen.outputs.columns());
    this.#showLine("dim", lines.map((line) => prefixed(event, line)).join("\n"), {});
  }

  #showLine(tone: Tone, line: string, event: From): void {
    this.#screen.showLine(paint(2, tone, prefixed(event, line)));
  }
}

/** The events that are not shown for subagents: their calls are shown, but not their text. */
export const ofSessionOnly: ReadonlySet<AgentEvent["type"]> = new Set([
  ...(["session-start", "turn-start", "turn-end", "text-start", "text-delta", "text-end"] as const),
]);

export function modelOf({ agent = "" }: From): string {
  return `${agent} model`;
}

export function callOf({ agent = "", id }: From & { readonly id: string }): string {
  return `${agent} ${id}`;
}

export function prefixed({ agent }: From, line: string): string {
  return agent === undefined ? line : `${agent}  ${line}`;
}

function lastLine(text: string): string {
  return plainTerminalText(text).trimEnd().split("\n").at(-1) ?? "";
}

export function retryLine(
  { code, message, waitMs, attempt }: Of<"retry">,
  { isLost }: { readonly isLost: boolean },
): string {
  const lost = isLost ? "; its unfinished reply is discarded" : "";
  const problem = printableLine(message).replace(/\.$/, "");
  const wait = waitMs < 1000 ? "now" : `in ${formatTime(waitMs)}`;
  return `${problem} (${code})${lost}. Retrying ${wait}, attempt ${attempt + 1}`;
}

export function failureLine({ message, code }: AgentFailure): string {
  return `${printable(message)}${code === "internal" ? "" : ` (${code})`}`;
}

/** Returns how the turn ended, and what it used. */
export function turnEndLines(event: Of<"turn-end">, turnStart: number): (readonly [Tone, string])[] {
  const isUsed = event.calls > 0 || event.usage.input > 0;
  const usage = formatUsage({ ...event, milliseconds: event.at - turnStart });
  return [
    ...(event.outcome === "aborted" ? [["yellow", "Stopped. Changes made so far are kept."] as const] : []),
    ...(isUsed ? [["dim", usage] as const] : []),
  ];
}

/** Returns the line for an event that is shown as one line. */
export function remarkOf(event: AgentEvent): readonly [Tone, string] | undefined {
  const isOfSession = event.agent === undefined;
  switch (event.type) {
    case "session-start": {
      const title = event.isResumed ? "Resumed session" : "Session";
      return isOfSession ? ["dim", `${title} ${event.session}: ${printableLine(event.model)}`] : undefined;
    }
    case "steering":
      return ["dim", `Sent to the model: ${printableLine(event.text)}`];
    case "user-input":
      return isOfSession ? undefined : ["dim", `task: ${printableLine(event.text.slice(0, maxChars))}`];
    case "clearing": {
      const [before, after] = [grouped(event.tokensBefore), grouped(event.tokensAfter)];
      return ["dim", `Cleared ${counted(event.outputs, "old output")}: ${before} to ${after} tokens`];
    }
    case "compaction": {
      const [before, after] = [grouped(event.tokensBefore), grouped(event.tokensAfter)];
      return ["dim", `Compacted the conversation: ${before} to ${after} tokens`];
    }
    case "model": {
      const reasoning = event.reasoning === null ? "" : `, reasoning ${event.reasoning}`;
      return ["dim", `Model: ${printableLine(event.model)}${reasoning}`];
    }
    case "limit": {
      const { limit, allowed } = event;
      const reached = limit === "cost" ? `$${allowed}` : counted(allowed, limit.slice(0, -1));
      return ["yellow", `Limit reached: ${reached}`];
    }
    case "loop":
      return ["yellow", formatLoop(event)];
    case "warning":
      return ["yellow", printableLine(event.message)];
    default:
      return undefined;
  }
}

function formatLoop({ action, calls, times }: Of<"loop">): string {
  const names = calls.map((call) => printableLine(call.slice(0, maxChars))).join(", ");
  const what =
    action === "warned" ? "The model repeats itself and was warned" : "Stopped: the model repeats itself";
  return `${what}: ${names === "" ? "unreadable replies" : names}, ${counted(times, "time")}`;
}

const maxChars = 120;
