import type { AgentEvent, AgentFailure } from "../../../agent/event.ts";
import { printable } from "../../../lib/text/printable.ts";
import { plainTerminalText } from "../../../lib/text/terminal-text.ts";
import { quoteText } from "../../approvals/show-request.ts";
import { callStartLine } from "../../session/call-lines.ts";
import {
  callOf,
  failureLine,
  modelOf,
  ofSessionOnly,
  prefixed,
  remarkOf,
  retryLine,
  turnEndLines,
} from "../../session/event-printer.ts";
import { CallBlock, LinesBlock, StreamedText, userBlock } from "./blocks.ts";
import type { ActivityPanel } from "./footer.ts";
import { tones } from "./theme.ts";
import type { Transcript } from "./transcript.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

type Shows = { readonly [Type in AgentEvent["type"]]?: (event: Of<Type>) => void };

/** Shows the events of a session as blocks of the transcript. */
export class EventView {
  readonly #transcript: Transcript;
  readonly #activity: ActivityPanel;
  readonly #isVerbose: boolean;
  readonly #text: StreamedText;
  readonly #calls = new Map<string, CallBlock>();
  #lastCall: CallBlock | undefined;
  #workspace = "";
  #turnStart = 0;
  #shownError = "";
  #hasText = false;

  constructor(transcript: Transcript, activity: ActivityPanel, { verbose }: { readonly verbose: boolean }) {
    this.#transcript = transcript;
    this.#activity = activity;
    this.#isVerbose = verbose;
    this.#text = new StreamedText(transcript);
  }

  show(event: AgentEvent): void {
    if (event.type === "steering") this.#activity.arrived();
    const remark = event.type === "steering" || event.type === "session-start" ? undefined : remarkOf(event);
    if (remark) this.#showLine(tones[remark[0]](prefixed(event, remark[1])));
    const isShown =
      event.agent === undefined || !(ofSessionOnly.has(event.type) || event.type === "steering");
    if (isShown) (this.#shows[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
  }

  /** Unfolds the calls on the screen, or folds them again; without any, shows the details of the last call. */
  toggleCalls(width: number): void {
    const calls = this.#transcript.blocks.filter((block) => block instanceof CallBlock);
    const isUnfolded = calls.some((call) => call.isUnfolded);
    for (const call of calls) call.unfold(!isUnfolded);
    if (calls.length === 0 && this.#lastCall)
      this.#showLine([...this.#lastCall.render(width), ...this.#lastCall.details(width)].join("\n"));
  }

  readonly #shows: Shows = {
    "session-start": ({ workspace }) => {
      this.#workspace = workspace;
    },
    "turn-start": ({ at }) => {
      this.#turnStart = at;
    },
    steering: ({ text }) => this.#transcript.add(userBlock(text)),
    "round-start": (event) => this.#activity.begin(modelOf(event), prefixed(event, "waiting for the model")),
    "text-start": () => this.#text.end(),
    "text-delta": (event) => {
      this.#hasText = true;
      this.#activity.note(modelOf(event), "(writing)");
      this.#text.add(event.text);
    },
    "text-end": () => this.#text.end(),
    "reasoning-start": (event) => this.#activity.note(modelOf(event), "(thinking)"),
    "reasoning-end": (event) => this.#quote(event.text),
    "reply-end": (event) => {
      this.#activity.end(modelOf(event));
      if (event.agent === undefined) this.#endText();
    },
    "tool-start": (event) => this.#startCall(event),
    "tool-progress": (event) => this.#activity.note(callOf(event), event.message),
    "inner-start": (event) =>
      this.#calls.get(callOf(event))?.changeInner((inner) => inner.start(event, this.#workspace)),
    "inner-end": (event) => this.#calls.get(callOf(event))?.changeInner((inner) => inner.end(event)),
    "tool-output": (event) => this.#calls.get(callOf(event))?.addOutput(event.text),
    "tool-end": (event) => this.#endCall(event),
    retry: (event) => this.#retry(event),
    error: ({ error, ...event }) => this.#fail(error, event),
    "turn-end": (event) => this.#endTurn(event),
  };

  #startCall(event: Of<"tool-start">): void {
    this.#activity.end(modelOf(event));
    const what = prefixed(event, callStartLine(event, this.#workspace));
    this.#activity.begin(callOf(event), what);
    if (event.canonical === "plan.update") return;
    const call = new CallBlock({ what, input: event.input, isUnfolded: this.#isVerbose });
    this.#calls.set(callOf(event), call);
    this.#lastCall = call;
    this.#transcript.add(call);
  }

  #endCall(event: Of<"tool-end">): void {
    this.#activity.end(callOf(event));
    this.#calls.get(callOf(event))?.finish(event);
    this.#calls.delete(callOf(event));
    if (event.canonical === "plan.update" && !event.isError && event.agent === undefined)
      this.#activity.setPlan(event.data);
  }

  #retry(event: Of<"retry">): void {
    const isLost = event.agent === undefined && this.#hasText;
    this.#endText();
    this.#showLine(tones.yellow(prefixed(event, retryLine(event, { isLost }))));
    this.#activity.begin(modelOf(event), prefixed(event, "waiting to retry"));
  }

  #fail(error: AgentFailure, event: Pick<AgentEvent, "agent">): void {
    this.#shownError = error.message;
    this.#activity.end(modelOf(event));
    const line = tones.red(failureLine(error));
    this.#showLine(prefixed(event, error.hint ? `${line}\n${printable(error.hint)}` : line));
  }

  #endTurn(event: Of<"turn-end">): void {
    this.#endText();
    const plan = this.#activity.takePlan();
    if (plan.length > 0) this.#showLine(plan.join("\n"));
    if (event.error && event.error.message !== this.#shownError) this.#fail(event.error, {});
    this.#shownError = "";
    for (const [tone, line] of turnEndLines(event, this.#turnStart)) this.#showLine(tones[tone](line));
  }

  #endText(): void {
    this.#text.end();
    this.#hasText = false;
  }

  /** Reasoning, only with --verbose. */
  #quote(text: string): void {
    if (!this.#isVerbose || text === "") return;
    this.#showLine(tones.dim(quoteText(plainTerminalText(text), 100).join("\n")));
  }

  #showLine(text: string): void {
    this.#transcript.add(new LinesBlock(text));
  }
}
