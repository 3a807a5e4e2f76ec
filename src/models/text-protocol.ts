import type { ToolDefinition } from "../dialects/definition.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import { describeActions, exampleCall } from "../wire/actions/describe-actions.ts";
import type {
  AssistantMessage,
  CallAnswer,
  ImagePart,
  Message,
  ProviderMeta,
  ReplyPart,
  TextPart,
  ToolMessage,
  UserMessage,
} from "./message.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "./model.ts";
import { ActionReader } from "./text-protocol/action-reader.ts";

/**
 * Adapts a model that cannot call tools: the system prompt describes the tools, replies contain calls as JSON actions,
 * and answers are sent as user messages. A reply without an action is a `fault` that explains how to write one. If the
 * next reply is plain prose again, it is the final answer.
 */
export function textProtocol(model: Model): Model {
  const toTextMessage = oncePerObject(toText);
  const guideFor = oncePerObject((tools: readonly ToolDefinition[]) => ({
    instructions: describeActions(tools),
    example: exampleCall(tools),
  }));

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const { tools, system, messages } = request;
    const asked = { ...request, tools: noTools, messages: messages.map(toTextMessage) };
    // Without tools there are no actions, for example in a summary.
    if (tools.length === 0) return yield* model.stream(asked, signal);
    const { instructions, example } = guideFor(tools);
    const reply = new TextReply(example, wasProse(messages));
    const extended = [system, instructions].filter((part) => part !== "").join("\n\n");
    for await (const event of model.stream({ ...asked, system: extended }, signal)) yield* reply.read(event);
  }

  return { ...model, stream };
}

const noTools: readonly ToolDefinition[] = [];

/** Converts the events of a text reply to those of one with calls. */
class TextReply {
  readonly #reader: ActionReader;
  readonly #mayBeProse: boolean;
  readonly #texts: { readonly id: string; readonly pieces: string[]; meta?: ProviderMeta }[] = [];
  #isShown = false;
  /** How many native calls the model made, although no tools were offered. */
  #calls = 0;

  constructor(example: string, mayBeProse: boolean) {
    this.#reader = new ActionReader(example);
    this.#mayBeProse = mayBeProse;
  }

  *read(event: ModelEvent): Generator<ModelEvent, void> {
    switch (event.type) {
      case "part-start":
        if (event.part !== "text") return yield event;
        this.#texts.push({ id: event.id, pieces: [] });
        if (this.#texts.length > 1) yield* this.#show(this.#reader.add("\n"), "");
        return;
      case "part-delta": {
        const written = this.#texts.find(({ id }) => id === event.id);
        if (written === undefined) return yield event;
        written.pieces.push(event.text);
        return yield* this.#show(this.#reader.add(event.text), event.text);
      }
      case "part-end": {
        const written = this.#texts.find(({ id }) => id === event.id);
        if (written === undefined) return yield event;
        if (event.meta) written.meta = event.meta;
        return;
      }
      case "call":
        this.#calls += 1;
        return yield event;
      case "finish":
        return yield* this.#finish(event);
      default:
        return yield event;
    }
  }

  *#show(text: string, given: string): Generator<ModelEvent, void> {
    // Without text to show, this event still tells callers that the reply is arriving.
    if (text === "") return yield { type: "call-delta", id: "action", text: given };
    if (!this.#isShown) yield { type: "part-start", id: shownId, part: "text" };
    this.#isShown = true;
    yield { type: "part-delta", id: shownId, text };
  }

  *#finish({ reason, usage, meta }: ModelEvent & { readonly type: "finish" }): Generator<ModelEvent, void> {
    const { thoughts, rest, calls, fault, isProse } = this.#reader.end();
    const isFinal = isProse && (this.#mayBeProse || this.#calls > 0);
    if (thoughts !== "") {
      yield { type: "part-start", id: thoughtsId, part: "reasoning" };
      yield { type: "part-delta", id: thoughtsId, text: thoughts };
      yield { type: "part-end", id: thoughtsId, meta: { [metaKey]: { isInText: true } } };
    }
    if (rest !== "") yield* this.#show(rest, rest);
    if (this.#isShown) yield { type: "part-end", id: shownId };
    const isWhole = reason !== "filtered";
    for (const { tool: name, args } of isWhole ? calls : []) {
      const input = { ok: true, value: args } as const;
      yield { type: "call", call: { type: "call", id: newIdentifier("call"), name, input } };
    }
    // A reply that was cut needs no fault: the cut explains it.
    const isFault = fault !== undefined && !isFinal && (reason === "stop" || reason === "calls");
    if (isFault) yield { type: "fault", message: fault };
    const written: WrittenText[] = this.#texts.map(({ pieces, meta }) => ({
      text: pieces.join(""),
      meta,
    }));
    const ending: FinishReason =
      isWhole && reason !== "length" ? (calls.length + this.#calls > 0 ? "calls" : "stop") : reason;
    yield {
      type: "finish",
      reason: ending,
      usage,
      meta: { ...meta, [metaKey]: { said: written, isProse: (isProse && isFault) || undefined } },
    };
  }
}

const shownId = "text_shown";
const thoughtsId = "reasoning_in_text";

/** The key in `meta` for what must be sent back. */
const metaKey = "toolcrib";

interface WrittenText {
  readonly text: string;
  readonly meta?: ProviderMeta;
}

interface StoredReply {
  /** The texts as the model wrote them. Stored sessions contain this name. */
  readonly said: readonly WrittenText[];
  /** Set when the reply was prose and the model got a notice. */
  readonly isProse?: true;
}

/** Whether the last reply was prose, and the model got a notice that it is not an action. */
function wasProse(messages: readonly Message[]): boolean {
  const last = messages.findLast(({ role }) => role !== "user");
  return last?.role === "assistant" && storedIn(last)?.isProse === true;
}

/** Converts a message for a conversation without calls. Replies stay as written. */
function toText(message: Message): Message {
  if (message.role === "assistant") return asWritten(message);
  return message.role === "tool" ? answersAsText(message) : message;
}

function asWritten(message: AssistantMessage): AssistantMessage {
  const { meta: _, ...plain } = message;
  const { [metaKey]: __, ...meta } = message.meta ?? {};
  const written = storedIn(message)?.said.map(({ text, meta }) => ({
    type: "text" as const,
    text,
    meta,
  }));
  const texts = written ?? [{ type: "text" as const, text: asActions(message.content) }];
  const thoughts = message.content.filter((part) => part.type === "reasoning" && !isInText(part));
  return {
    ...plain,
    content: [...thoughts, ...texts.filter(({ text }) => text !== "")],
    meta: Object.keys(meta).length > 0 ? meta : undefined,
  };
}

/** Writes a reply of the native protocol as actions. */
function asActions(content: readonly ReplyPart[]): string {
  return content
    .flatMap((part) => {
      if (part.type === "text") return part.text === "" ? [] : [part.text];
      if (part.type === "reasoning") return [];
      const { name: tool, input } = part;
      return [JSON.stringify({ action: "tool_call", tool, args: input.ok ? input.value : {} })];
    })
    .join("\n");
}

function answersAsText({ answers }: ToolMessage): UserMessage {
  const text: TextPart = { type: "text", text: answers.map(answerAsText).join("\n\n") };
  const images = answers
    .flatMap(({ images }) => images)
    .map((image): ImagePart => ({ type: "image", ...image }));
  return { role: "user", content: [text, ...images] };
}

function answerAsText({ name, content, isError }: CallAnswer): string {
  return `${isError ? `${name} failed` : `Result of ${name}`}:\n${content}`;
}

function storedIn({ meta }: AssistantMessage): StoredReply | undefined {
  const stored = meta?.[metaKey];
  return isRecord(stored) && Array.isArray(stored.said) ? (stored as unknown as StoredReply) : undefined;
}

function isInText({ meta }: ReplyPart): boolean {
  const stored = meta?.[metaKey];
  return isRecord(stored) && stored.isInText === true;
}
