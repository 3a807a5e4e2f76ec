import { setTimeout as pause } from "node:timers/promises";
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../agent/event.ts";
import type { Plan } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { ApprovalRequest } from "../../toolcrib/index.ts";
import { ModelText } from "../session/activity.ts";
import { diffOf } from "../session/call-lines.ts";
import { remarkOf } from "../session/event-printer.ts";
import { InnerCalls } from "../session/inner-calls.ts";
import { type CallShape, kindOf, shapeOf } from "./call-shape.ts";
import { readDiffs, textContent } from "./tool-content.ts";

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** Sends an update; resolves when the client has room for more. */
type SendUpdate = (update: SessionUpdate) => Promise<void>;

interface UpdateOptions {
  readonly workspace: string;
  readonly send: SendUpdate;
  /** Shows a short message of the session to the user. */
  readonly notice: (severity: "info" | "warning", title: string) => void;
  /** Returns the changes of a recorded call as unified diffs; "" without changes. */
  readonly changesOf: (callId: string) => Promise<string>;
}

/** Tells the client about a session as it happens: text, reasoning, calls, plans and usage. */
export class SessionUpdates {
  readonly #options: UpdateOptions;
  readonly #text = new ModelText();
  readonly #thought = new ModelText();
  readonly #outputs = new Map<string, LiveOutput>();
  readonly #inner = new Map<string, InnerCalls>();
  /** The calls that run, by the client's id, and that id by the id in the journal. */
  readonly #shapes = new Map<string, CallShape>();
  readonly #toolCallIds = new Map<string, string>();
  /** Diffs that are still being read. */
  readonly #pending = new Set<Promise<void>>();
  #hasText = false;

  constructor(options: UpdateOptions) {
    this.#options = options;
  }

  show(event: AgentEvent): void {
    const isShown = event.agent === undefined || ofSubagents.has(event.type);
    if (isShown) (this.#shows[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
  }

  /** Returns the call that a question is about, as the client knows it. */
  callAskedAbout({ callId, tool, input }: ApprovalRequest): CallShape & { readonly toolCallId: string } {
    const toolCallId = this.#toolCallIds.get(callId) ?? callId;
    const known = this.#shapes.get(toolCallId);
    const { workspace } = this.#options;
    return { toolCallId, ...(known ?? shapeOf({ name: tool, canonical: tool, input }, workspace)) };
  }

  /** Resolves when the updates of all ended calls were sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  readonly #shows: { readonly [Type in AgentEvent["type"]]?: (event: Of<Type>) => void } = {
    "text-start": () => {
      if (this.#hasText) this.#say("\n\n");
    },
    "text-delta": ({ text }) => this.#say(this.#text.add(text)),
    "text-end": () => this.#say(this.#text.end()),
    "reasoning-delta": ({ text }) => this.#think(this.#thought.add(text)),
    "reasoning-end": () => this.#think(this.#thought.end()),
    "round-start": () => {
      this.#hasText = false;
    },
    "tool-start": (event) => this.#startCall(event),
    "tool-output": (event) => this.#outputOf(event).add(event.text),
    "tool-progress": (event) => {
      // The calls of a script say more than its progress.
      if (!this.#inner.has(callOf(event))) this.#outputOf(event).note(event.message);
    },
    "inner-start": (event) => {
      const inner = this.#inner.get(callOf(event)) ?? new InnerCalls();
      this.#inner.set(callOf(event), inner);
      inner.start(event, this.#options.workspace);
      this.#outputOf(event).note(inner.lines().join("\n"));
    },
    "inner-end": (event) => {
      const inner = this.#inner.get(callOf(event));
      inner?.end(event);
      this.#outputOf(event).note(inner?.lines().join("\n") ?? "");
    },
    approval: (event) => void this.#toolCallIds.set(event.request.callId, callOf(event)),
    "approval-end": (event) => {
      const toolCallId = callOf(event);
      if (event.allowed) this.#send({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    },
    "tool-end": (event) => this.#endCall(event),
    usage: ({ context: { tokens, window }, cost }) => {
      const price = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
      if (window !== null)
        this.#send({ sessionUpdate: "usage_update", used: Math.round(tokens), size: window, ...price });
    },
    retry: ({ message, attempt }) => {
      if (this.#hasText)
        this.#say(`${this.#text.end()}\n\n[The reply broke off and is requested again.]\n\n`);
      this.#notice("warning", `${message.replace(/\.$/, "")}. Retrying, attempt ${attempt + 1}.`);
    },
    clearing: (event) => this.#remark(event),
    compaction: (event) => this.#remark(event),
    limit: (event) => this.#remark(event),
    loop: (event) => this.#remark(event),
    warning: (event) => this.#remark(event),
  };

  #say(text: string): void {
    if (text === "") return;
    this.#hasText = true;
    this.#send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #think(text: string): void {
    if (text !== "") this.#send({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  #startCall(event: Of<"tool-start">): void {
    this.#hasText = false;
    if (isPlan(event)) return;
    const toolCallId = callOf(event);
    const shape = shapeOf(event, this.#options.workspace);
    this.#shapes.set(toolCallId, shape);
    this.#send({ sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...shape });
  }

  #endCall(event: Of<"tool-end">): void {
    const toolCallId = callOf(event);
    this.#outputs.get(toolCallId)?.end();
    this.#outputs.delete(toolCallId);
    this.#shapes.delete(toolCallId);
    if (isPlan(event)) {
      if (isRecord(event.data)) this.#send(planUpdate(event.data as unknown as Plan));
      return;
    }
    const diff = diffOf(event.data);
    const inner = textContent(this.#inner.get(toolCallId)?.lines().join("\n") ?? "", "execute");
    this.#inner.delete(toolCallId);
    const show = (changes: string) => this.#showEnd(event, toolCallId, changes, inner);
    show(diff);
    if (diff !== "") return;
    const added: Promise<void> = this.#addChanges(event, show)
      .catch(() => {})
      .finally(() => this.#pending.delete(added));
    this.#pending.add(added);
  }

  #showEnd(event: Of<"tool-end">, toolCallId: string, diff: string, inner: readonly ToolCallContent[]): void {
    const { callId, canonical, isError, output } = event;
    const { diffs, locations } = readDiffs(diff, this.#options.workspace);
    // The text of an edit repeats its diff; that of a command does not.
    const needsText = diffs.length === 0 || isError || kindOf(canonical) === "execute";
    this.#send({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: isError ? "failed" : "completed",
      content: [...diffs, ...inner, ...(needsText ? textContent(output, kindOf(canonical)) : [])],
      locations: locations.length > 0 ? [...locations] : undefined,
      _meta: callId === null ? undefined : { toolcrib: { callId } },
    });
  }

  /** Adds the changes that only the journal knows, such as those of commands. */
  async #addChanges(event: Of<"tool-end">, show: (diff: string) => void): Promise<void> {
    if (event.callId === null || !changing.has(kindOf(event.canonical))) return;
    const diff = await this.#options.changesOf(event.callId);
    if (diff !== "") show(diff);
  }

  #outputOf(event: Of<"tool-output" | "tool-progress" | "inner-start" | "inner-end">): LiveOutput {
    const toolCallId = callOf(event);
    const found = this.#outputs.get(toolCallId);
    if (found) return found;
    const output = new LiveOutput((text) =>
      this.#options.send({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "in_progress",
        content: textContent(text, "execute"),
      }),
    );
    this.#outputs.set(toolCallId, output);
    return output;
  }

  #remark(event: AgentEvent): void {
    const [tone, line] = remarkOf(event) ?? [];
    if (line !== undefined) this.#notice(tone === "yellow" ? "warning" : "info", line);
  }

  #notice(severity: "info" | "warning", title: string): void {
    this.#options.notice(severity, printableLine(title));
  }

  #send(update: SessionUpdate): void {
    // A client that has left is noticed elsewhere.
    void this.#options.send(update).catch(() => {});
  }
}

const ofSubagents: ReadonlySet<AgentEvent["type"]> = new Set([
  ...([
    "tool-start",
    "tool-output",
    "tool-progress",
    "inner-start",
    "inner-end",
    "tool-end",
    "approval",
    "approval-end",
  ] as const),
  "warning",
]);

/** The kinds of calls whose changes are looked up in the journal. */
const changing: ReadonlySet<string> = new Set(["edit", "delete", "move", "execute"]);

/** The ids of calls are unique in a conversation; subagents have conversations of their own. */
function callOf({ agent, id }: { readonly agent?: string; readonly id: string }): string {
  return agent === undefined ? id : `${agent}/${id}`;
}

/** A plan is shown as the plan of the session, not as a call. */
function isPlan({ canonical, agent }: { readonly canonical: string; readonly agent?: string }): boolean {
  return canonical === "plan.update" && agent === undefined;
}

function planUpdate({ steps }: Plan): SessionUpdate {
  const shown = steps.filter(({ status }) => status !== "cancelled");
  return {
    sessionUpdate: "plan",
    entries: shown.map(({ step, status }) => ({
      content: printableLine(status === "blocked" ? `${step} (blocked)` : step),
      priority: "medium",
      status: status === "in_progress" || status === "completed" ? status : "pending",
    })),
  };
}

/** The output of a running command. Sends its end from time to time, and never more than the client reads. */
class LiveOutput {
  readonly #send: (text: string) => Promise<void>;
  #text = "";
  #note = "";
  #isStale = false;
  #isSending = false;
  #hasEnded = false;

  constructor(send: (text: string) => Promise<void>) {
    this.#send = send;
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-liveChars);
    this.#show();
  }

  note(message: string): void {
    this.#note = message;
    this.#show();
  }

  end(): void {
    this.#hasEnded = true;
  }

  #show(): void {
    this.#isStale = true;
    if (!this.#isSending) void this.#sendAll().catch(() => {});
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#isStale && !this.#hasEnded) {
      this.#isStale = false;
      await this.#send([this.#text.trimEnd(), this.#note].filter((part) => part !== "").join("\n"));
      await pause(liveMs, undefined, { ref: false });
    }
    this.#isSending = false;
  }
}

const liveChars = 8_000;
const liveMs = 200;
