import { setTimeout as pause } from "node:timers/promises";
import type { Model, ModelEvent, ModelRequest, TokenUsage } from "../model.ts";
import { ModelError } from "../model-error.ts";

/** A model that plays a recording: the number of replies so far selects the next one. Needs no network. */
export function recordedModel(
  { name, replies }: ModelRecording,
  { wordMs = 0 }: { /** How long it takes for each word. */ readonly wordMs?: number } = {},
): Model {
  return {
    id: `recorded/${name}`,
    provider: "recorded",
    name,
    facts: { callsTools: true, contextTokens: 200_000 },
    async *stream({ messages }: ModelRequest, signal) {
      const number = messages.filter(({ role }) => role === "assistant").length;
      const reply = replies[number];
      if (reply === undefined)
        throw new ModelError("not-found", "The recording has ended.", {
          hint: "Set up a model: toolcrib models",
        });
      yield* play(reply, `${number + 1}`, async () => {
        signal.throwIfAborted();
        if (wordMs > 0) await pause(wordMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      });
    },
  };
}

async function* play(
  { reasoning, text, calls = [], usage }: RecordedReply,
  number: string,
  wait: () => Promise<void>,
): AsyncGenerator<ModelEvent> {
  for (const [part, content] of [["reasoning", reasoning] as const, ["text", text] as const]) {
    if (content === undefined) continue;
    const id = `${part}_${number}`;
    yield { type: "part-start", id, part };
    for (const word of content.split(/(?<=\s)(?=\S)/)) {
      await wait();
      yield { type: "part-delta", id, text: word };
    }
    yield { type: "part-end", id };
  }
  for (const [index, call] of calls.entries()) {
    await wait();
    yield* callEvents(call, `call_${number}_${index + 1}`);
  }
  yield { type: "finish", reason: calls.length > 0 ? "calls" : "stop", usage: { ...nothing, ...usage } };
}

function* callEvents({ name, input }: RecordedCall, id: string): Generator<ModelEvent> {
  yield { type: "call-start", id, name };
  yield { type: "call-delta", id, text: JSON.stringify(input) };
  yield { type: "call", call: { type: "call", id, name, input: { ok: true, value: input } } };
}

const nothing: TokenUsage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

/** Recorded replies, played in order whatever the tools answer. */
export interface ModelRecording {
  readonly name: string;
  readonly replies: readonly RecordedReply[];
}

export interface RecordedReply {
  readonly reasoning?: string | undefined;
  readonly text?: string | undefined;
  readonly calls?: readonly RecordedCall[] | undefined;
  readonly usage?: Partial<TokenUsage> | undefined;
}

export interface RecordedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
