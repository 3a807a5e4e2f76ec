import type { AgentEvent, AgentFailure, AgentHappening } from "../../agent/event.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import { quoteText } from "../approvals/show-request.ts";
import { paint, type Tone } from "../terminal.ts";
import { Activity, ModelWords, showWords } from "./activity.ts";
import {
  callEndLine,
  callStartLine,
  diffOf,
  formatTime,
  formatUsage,
  grouped,
  showDiff,
} from "./call-lines.ts";
import { cutTo, type Screen } from "./screen.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

type Shows = { readonly [Type in AgentEvent["type"]]?: (event: Of<Type>) => void };

/** Who it happens in: a subagent, or the session itself. */
type From = Pick<AgentEvent, "agent">;

/**
 * Shows a session to a person. The model's words go to standard output: as they come where somebody watches, else only the
 * answer, when it is whole. Everything else is lines on standard error.
 */
export class EventPrinter {
  readonly #screen: Screen;
  readonly #activity: Activity;
  readonly #isVerbose: boolean;
  readonly #words = new ModelWords();
  readonly #starts = new Map<string, string>();
  /** What was said since the last reply that called tools. */
  #said = "";
  /** What was said of the reply that comes. */
  #reply = "";
  #workspace = "";
  #turnStart = 0;
  #toldError = "";

  constructor(screen: Screen, { verbose }: { readonly verbose: boolean }) {
    this.#screen = screen;
    this.#activity = new Activity(screen);
    this.#isVerbose = verbose;
  }

  show(event: AgentEvent): void {
    const remark = remarkOf(event);
    if (remark) this.#tell(remark.tone, remark.line, event);
    const isShown = event.agent === undefined || !ofSessionOnly.has(event.type);
    if (isShown) (this.#shows[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
  }

  /** Nothing goes on any more. */
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
      if (this.#reply !== "" && !this.#reply.endsWith("\n")) this.#say("\n");
    },
    "text-delta": (event) => {
      if (this.#screen.outputs.isWatched) this.#activity.end(modelOf(event));
      else this.#activity.note(modelOf(event), "(writing)");
      this.#say(event.text);
    },
    "text-end": (event) => {
      this.#screen.say(this.#words.end());
      this.#screen.endWords();
      // The arguments of a call may take as long as any words.
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

  #say(text: string): void {
    if (this.#screen.outputs.isWatched) this.#screen.say(this.#words.add(text));
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
    this.#screen.say(this.#words.end());
    const gap = this.#said === "" || this.#said.endsWith("\n") || this.#reply === "" ? "" : "\n";
    this.#said += gap + this.#reply;
    this.#reply = "";
  }

  /** Not the answer, but what the model said on its way. */
  #setAside(): void {
    const isSeen = this.#screen.outputs.isWatched || this.#said.trim() === "";
    if (!isSeen) this.#screen.tell(showWords(this.#said.trimEnd()));
    this.#said = "";
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
    this.#screen.tell(`${head}  ${paint(2, isError ? "red" : "dim", tail)}`);
    const diff = diffOf(data);
    if (diff !== "") this.#screen.tell(showDiff(diff, { columns, callId, whole: this.#isVerbose }));
  }

  #retry({ kind, message, waitMs, attempt, ...event }: Of<"retry">): void {
    const isLost = event.agent === undefined && this.#reply !== "";
    if (isLost) {
      this.#words.end();
      this.#reply = "";
    }
    const lost = isLost ? "; what it began to say does not count" : "";
    const problem = printableLine(message).replace(/\.$/, "");
    const wait = waitMs < 1000 ? "at once" : `in ${formatTime(waitMs)}`;
    this.#tell("yellow", `${problem} (${kind})${lost}. Asking again ${wait}, try ${attempt + 1}`, event);
    this.#activity.begin(modelOf(event), prefixed(event, "waiting to ask the model again"));
  }

  #fail({ message, hint, kind }: AgentFailure, event: From): void {
    this.#toldError = message;
    this.#activity.end(modelOf(event));
    this.#tell("red", `${printable(message)}${kind === "internal" ? "" : ` (${kind})`}`, event);
    if (hint) this.#screen.tell(prefixed(event, printable(hint)));
  }

  #endTurn(event: Of<"turn-end">): void {
    this.#activity.stop();
    this.#keepReply();
    if (event.outcome === "completed" && !this.#screen.outputs.isWatched) {
      this.#screen.say(this.#said);
      this.#said = "";
    }
    this.#setAside();
    this.#screen.endLine();
    if (event.error && event.error.message !== this.#toldError) this.#fail(event.error, {});
    this.#toldError = "";
    if (event.outcome === "aborted")
      this.#tell("yellow", "Stopped. What was done until then stays done.", {});
    const isUsed = event.calls > 0 || event.usage.input > 0;
    if (isUsed) this.#tell("dim", formatUsage({ ...event, milliseconds: event.at - this.#turnStart }), {});
  }

  /** For people who want to see everything. */
  #quote(text: string, event: From): void {
    if (!this.#isVerbose || text === "") return;
    const lines = quoteText(plainTerminalText(text), this.#screen.outputs.columns());
    this.#tell("dim", lines.map((line) => prefixed(event, line)).join("\n"), {});
  }

  #tell(tone: Tone, line: string, event: From): void {
    this.#screen.tell(paint(2, tone, prefixed(event, line)));
  }
}

/** What subagents say is their business; what they do is shown. */
const ofSessionOnly: ReadonlySet<AgentEvent["type"]> = new Set([
  ...(["session-start", "turn-start", "turn-end", "text-start", "text-delta", "text-end"] as const),
]);

function modelOf({ agent = "" }: From): string {
  return `${agent} model`;
}

function callOf({ agent = "", id }: From & { readonly id: string }): string {
  return `${agent} ${id}`;
}

function prefixed({ agent }: From, line: string): string {
  return agent === undefined ? line : `${agent}  ${line}`;
}

function lastLine(text: string): string {
  return plainTerminalText(text).trimEnd().split("\n").at(-1) ?? "";
}

type EventOf<Type extends AgentHappening["type"]> = Extract<AgentEvent, { type: Type }>;

/** What is worth one line of its own, whatever goes on beside it. */
function remarkOf(event: AgentEvent): { readonly tone: Tone; readonly line: string } | undefined {
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

function tellCompaction({ tokensBefore, tokensAfter }: EventOf<"compaction">): string {
  return `${grouped(tokensBefore)} tokens became ${grouped(tokensAfter)}`;
}

function tellReasoning({ reasoning }: EventOf<"model">): string {
  return reasoning === null ? "" : `, reasoning ${reasoning}`;
}

function tellLimit({ limit, allowed }: EventOf<"limit">): string {
  return limit === "cost" ? `$${allowed}` : counted(allowed, limit.slice(0, -1));
}

function tellLoop({ action, calls, times }: EventOf<"loop">): string {
  const names = calls.map((call) => printableLine(call.slice(0, maxChars))).join(", ");
  const what =
    action === "warned" ? "The model repeats itself and was told so" : "Stopped: the model repeats itself";
  return `${what}: ${names === "" ? "replies that cannot be read" : names}, ${counted(times, "time")}`;
}

const maxChars = 120;
