import type { ChatResponse, Message as OllamaMessage } from "ollama";
import type { ToolImage } from "../../../contract/tool.ts";
import { newIdentifier } from "../../../lib/identifier.ts";
import { isRecord } from "../../../lib/json/is-record.ts";
import { oncePerObject } from "../../../lib/once-per-object.ts";
import { imageOmitted } from "../../language-model/to-prompt.ts";
import type {
  AssistantMessage,
  CallInput,
  CallPart,
  Message,
  ToolMessage,
  UserMessage,
} from "../../message.ts";
import type { ModelEvent, TokenUsage } from "../../model.ts";
import { ModelError } from "../../model-error.ts";
import { UnreadableCall } from "./asking-fetch.ts";

interface MessageOptions {
  /** The model's id; reasoning of other models is left out. */
  readonly id: string;
  readonly seesImages: boolean;
}

/** Converts messages to Ollama's format, each once. */
export function messageMaker(options: MessageOptions): (message: Message) => readonly OllamaMessage[] {
  return oncePerObject((message) => {
    if (message.role === "tool") return toAnswers(message, options);
    return [message.role === "user" ? toUser(message, options) : toAssistant(message, options)];
  });
}

function toUser({ content }: UserMessage, { seesImages }: MessageOptions): OllamaMessage {
  const texts = content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return seesImages ? [] : [imageOmitted];
  });
  const images = content.filter((part) => part.type === "image");
  return { role: "user", content: texts.join("\n"), ...(seesImages && imagesOf(images)) };
}

function toAssistant({ model, content }: AssistantMessage, { id }: MessageOptions): OllamaMessage {
  const textOf = (type: "text" | "reasoning") =>
    content.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  const thinking = model === id ? textOf("reasoning") : "";
  const calls = content.filter((part) => part.type === "call");
  return {
    role: "assistant",
    content: textOf("text"),
    thinking: thinking || undefined,
    tool_calls: calls.length > 0 ? calls.map(toCall) : undefined,
  };
}

/** Replaces the missing name of a call. */
const noName = "_";

/** Arguments are always an object; the answer says what could not be read. */
function toCall({ name, input }: CallPart): NonNullable<OllamaMessage["tool_calls"]>[number] {
  return {
    function: { name: name || noName, arguments: input.ok && isRecord(input.value) ? input.value : {} },
  };
}

/** Puts images into a user message after the answers, because answers cannot hold images. */
function toAnswers({ answers }: ToolMessage, { seesImages }: MessageOptions): readonly OllamaMessage[] {
  const results = answers.map(({ name, content, images }) => ({
    role: "tool",
    content: images.length > 0 && !seesImages ? `${content}\n${imageOmitted}`.trimStart() : content,
    tool_name: name || noName,
  }));
  const seen = seesImages ? answers.filter(({ images }) => images.length > 0) : [];
  if (seen.length === 0) return results;
  const names = seen.map(({ name }) => name).join(", ");
  return [
    ...results,
    { role: "user", content: `From ${names}:`, ...imagesOf(seen.flatMap(({ images }) => images)) },
  ];
}

function imagesOf(images: readonly ToolImage[]): { images?: string[] } {
  return images.length === 0 ? {} : { images: images.map(({ base64 }) => base64) };
}

/** Yields the events of a reply. Reads nothing after `finish`. */
export async function* readChunks(chunks: AsyncIterable<ChatResponse>): AsyncGenerator<ModelEvent, void> {
  const reply = new Reply();
  try {
    for await (const chunk of chunks) {
      yield* reply.read(chunk);
      if (chunk.done) return;
    }
  } catch (error) {
    if (!(error instanceof UnreadableCall)) throw error;
    yield* reply.endUnread(error.message);
  }
}

class Reply {
  #parts = 0;
  #calls = 0;
  #hasText = false;
  #open: { readonly id: string; readonly part: "text" | "reasoning" } | undefined;

  *read(chunk: ChatResponse): Generator<ModelEvent, void> {
    const { thinking, content, tool_calls: calls } = chunk.message ?? {};
    yield* this.#add("reasoning", thinking);
    yield* this.#add("text", content);
    for (const { function: called } of calls ?? []) {
      yield* this.#close();
      this.#calls += 1;
      // Older servers send no ids.
      const id = newIdentifier("call");
      const { name } = called;
      yield { type: "call-start", id, name };
      yield { type: "call", call: { type: "call", id, name, input: readInput(called.arguments) } };
    }
    if (chunk.done) yield* this.#end(chunk);
  }

  /** Ends a reply whose call the server could not read. */
  *endUnread(problem: string): Generator<ModelEvent, void> {
    yield* this.#close();
    yield {
      type: "fault",
      message: `Your tool call could not be parsed and was not made: ${problem}\nMake it again with one JSON object as arguments.`,
    };
    yield { type: "finish", reason: "stop", usage: usageOf(0, 0) };
  }

  *#end({ done_reason, prompt_eval_count, eval_count }: ChatResponse): Generator<ModelEvent, void> {
    yield* this.#close();
    const isCut = done_reason === "length";
    const usage = usageOf(prompt_eval_count, eval_count);
    if (!isCut && this.#calls === 0 && !this.#hasText)
      throw new ModelError("empty", "The reply is empty.", { usage });
    const reason = isCut ? "length" : this.#calls > 0 ? "calls" : "stop";
    yield { type: "finish", reason, usage };
  }

  *#add(part: "text" | "reasoning", text: string | undefined): Generator<ModelEvent, void> {
    if (!text) return;
    if (part === "text" && text.trim() !== "") this.#hasText = true;
    if (this.#open?.part !== part) {
      yield* this.#close();
      this.#parts += 1;
      this.#open = { id: `${part}_${this.#parts}`, part };
      yield { type: "part-start", id: this.#open.id, part };
    }
    yield { type: "part-delta", id: this.#open.id, text };
  }

  *#close(): Generator<ModelEvent, void> {
    if (this.#open !== undefined) yield { type: "part-end", id: this.#open.id };
    this.#open = undefined;
  }
}

function usageOf(input: unknown, output: unknown): TokenUsage {
  const number = (count: unknown) => (typeof count === "number" ? count : 0);
  return { input: number(input), cached: 0, cacheWritten: 0, output: number(output), reasoning: 0 };
}

function readInput(given: unknown): CallInput {
  if (isRecord(given)) return { ok: true, value: given };
  if (given === undefined || given === null) return { ok: true, value: {} };
  return { ok: false, given: JSON.stringify(given), problem: "The arguments are not a JSON object." };
}
