import type { ChatResponse } from "ollama";
import { newIdentifier } from "../../../lib/identifier.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { CallInput } from "../../message.ts";
import type { ModelEvent, Usage } from "../../model.ts";
import { ModelError } from "../../model-error.ts";
import { UnreadableCall } from "./to-ollama-error.ts";

/** The events of a reply. The last one is `finish`, after which nothing is read. */
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
  #hasWords = false;
  #open: { readonly id: string; readonly part: "text" | "reasoning" } | undefined;

  *read(chunk: ChatResponse): Generator<ModelEvent, void> {
    const { thinking, content, tool_calls: calls } = chunk.message ?? {};
    yield* this.#add("reasoning", thinking);
    yield* this.#add("text", content);
    for (const { function: called } of calls ?? []) {
      yield* this.#close();
      this.#calls += 1;
      // Older servers give no ids.
      const id = newIdentifier("call");
      const { name } = called;
      yield { type: "call-start", id, name };
      yield { type: "call", call: { type: "call", id, name, input: readInput(called.arguments) } };
    }
    if (chunk.done) yield* this.#end(chunk);
  }

  /** The server could not read what the model has called. */
  *endUnread(problem: string): Generator<ModelEvent, void> {
    yield* this.#close();
    yield {
      type: "fault",
      message: `Your call of a tool could not be read, and nothing was done: ${problem}\nCall it again, with arguments that are one JSON object.`,
    };
    yield { type: "finish", reason: "stop", usage: usageOf(0, 0) };
  }

  *#end({ done_reason, prompt_eval_count, eval_count }: ChatResponse): Generator<ModelEvent, void> {
    yield* this.#close();
    const isCut = done_reason === "length";
    if (!isCut && this.#calls === 0 && !this.#hasWords)
      throw new ModelError("empty", "The reply has neither words nor calls.");
    const reason = isCut ? "length" : this.#calls > 0 ? "calls" : "stop";
    yield { type: "finish", reason, usage: usageOf(prompt_eval_count, eval_count) };
  }

  *#add(part: "text" | "reasoning", text: string | undefined): Generator<ModelEvent, void> {
    if (!text) return;
    if (part === "text" && text.trim() !== "") this.#hasWords = true;
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

/** Some servers do not count. */
function usageOf(input: unknown, output: unknown): Usage {
  const number = (count: unknown) => (typeof count === "number" ? count : 0);
  return { input: number(input), cached: 0, cacheWritten: 0, output: number(output), reasoning: 0 };
}

function readInput(given: unknown): CallInput {
  if (isRecord(given)) return { ok: true, value: given };
  if (given === undefined || given === null) return { ok: true, value: {} };
  return { ok: false, given: JSON.stringify(given), problem: "The arguments are no JSON object." };
}
