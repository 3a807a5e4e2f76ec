import type { AssistantMessage, CallInput, CallPart, ProviderMeta, ReplyPart } from "../../models/message.ts";
import type { FinishReason, ModelEvent, TokenUsage } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentEventBody } from "../event.ts";
import { finiteUsage } from "../spending.ts";

export interface Reply {
  readonly message: AssistantMessage;
  readonly reason: FinishReason;
  readonly usage: TokenUsage;
}

export interface ReadReply extends Reply {
  /** Messages to the model about actions that could not be understood. */
  readonly faults: readonly string[];
}

/** Assembles a reply from its events, and emits its text as it arrives. */
export class ReplyReader {
  readonly #model: string;
  readonly #emit: (happening: AgentEventBody) => void;
  readonly #nextId: () => number;
  readonly #parts: PartialPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #begunCalls = new Map<string, PartialCall>();
  readonly #faults: string[] = [];

  /** `nextId` numbers the parts of a session. */
  constructor(model: string, nextId: () => number, emit: (happening: AgentEventBody) => void) {
    this.#model = model;
    this.#nextId = nextId;
    this.#emit = emit;
  }

  /** Returns the reply after its last event. */
  read(event: ModelEvent): ReadReply | undefined {
    switch (event.type) {
      case "part-start":
        this.#begin(event.id, event.part);
        return;
      case "part-delta": {
        const part = this.#open.get(event.id) ?? this.#begin(event.id, "text");
        if (event.text === "") return;
        part.pieces.push(event.text);
        this.#emit({ type: `${part.type}-delta`, id: part.id, text: event.text });
        return;
      }
      case "part-end":
        this.#end(event.id, event.meta);
        return;
      case "call-start": {
        const part: PartialCall = { type: "call", call: undefined };
        this.#begunCalls.set(event.id, part);
        this.#parts.push(part);
        return;
      }
      case "call":
        this.#addCall(event.call);
        return;
      case "fault":
        this.#faults.push(event.message);
        return;
      case "warning":
        this.#emit({ type: "warning", message: event.message });
        return;
      case "finish":
        return this.#finish(event);
    }
  }

  /** Emits the end of every part that has begun. */
  breakOff(): void {
    for (const id of [...this.#open.keys()]) this.#end(id, undefined);
  }

  get shownText(): string {
    return this.#parts.flatMap((part) => (part.type === "text" ? [part.pieces.join("")] : [])).join("");
  }

  #begin(id: string, type: "text" | "reasoning"): OpenPart {
    // A second part with the same id ends the first.
    this.#end(id, undefined);
    const part: OpenPart = { type, id: `${type}_${this.#nextId()}`, pieces: [], meta: undefined };
    this.#open.set(id, part);
    this.#parts.push(part);
    this.#emit({ type: `${type}-start`, id: part.id });
    return part;
  }

  #end(id: string, meta: ProviderMeta | undefined): void {
    const part = this.#open.get(id);
    if (part === undefined) return;
    this.#open.delete(id);
    part.meta = meta;
    this.#emit({ type: `${part.type}-end`, id: part.id, text: part.pieces.join("") });
  }

  #addCall(given: CallPart): void {
    const call = { ...given, input: asJson(given.input) };
    const begun = this.#begunCalls.get(call.id);
    this.#begunCalls.delete(call.id);
    if (begun) begun.call = call;
    else this.#parts.push({ type: "call", call });
  }

  #finish({ reason, usage, meta }: ModelEvent & { readonly type: "finish" }): ReadReply {
    this.breakOff();
    const content = this.#parts.flatMap(toReplyPart);
    const says = content.some((part) => part.type === "call" || (part.type === "text" && part.text.trim()));
    if (!says && this.#faults.length === 0 && reason !== "length" && reason !== "filtered") {
      throw new ModelError("empty", `The reply of ${this.#model} is empty.`, { usage: finiteUsage(usage) });
    }
    const message = { role: "assistant", model: this.#model, content, meta } as const;
    return { message, reason, usage: finiteUsage(usage), faults: this.#faults };
  }
}

/** Arguments that are not JSON could not be recorded or sent back. */
function asJson(input: CallInput): CallInput {
  if (!input.ok) return input;
  try {
    if (JSON.stringify(input.value) !== undefined) return input;
  } catch {
    // The value is circular or contains a bigint.
  }
  return { ok: false, given: String(input.value), problem: "The arguments are not JSON." };
}

interface OpenPart {
  readonly type: "text" | "reasoning";
  readonly id: string;
  readonly pieces: string[];
  meta: ProviderMeta | undefined;
}

type PartialPart = OpenPart | PartialCall;

/** Holds the position of a call. A call that never becomes complete is dropped. */
interface PartialCall {
  readonly type: "call";
  call: CallPart | undefined;
}

function toReplyPart(part: PartialPart): ReplyPart[] {
  if (part.type === "call") return part.call ? [part.call] : [];
  const { type, meta } = part;
  const text = part.pieces.join("");
  return text === "" && meta === undefined ? [] : [{ type, text, meta }];
}
