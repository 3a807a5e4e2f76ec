import type { Piece, WireReply } from "../protocol.ts";
import { sse } from "../sse.ts";
import { argumentsOf } from "../wire-arguments.ts";

interface ChatWriting {
  readonly hasUsage: boolean;
  /** The delta with a piece of reasoning. */
  thoughts(text: string): object;
  /** Deltas that end the reasoning. */
  readonly sealed?: readonly object[];
  /** Fields besides those that every chunk has. */
  readonly chunk?: object;
  readonly usage?: object;
}

/** A reply as the chunks of a Chat Completion. */
export function chatPieces(reply: WireReply, writing: ChatWriting): readonly Piece[] {
  const { number, model, oddity, split } = reply;
  const base = {
    id: `chatcmpl-${number}`,
    object: "chat.completion.chunk",
    created: 1_760_000_000 + number,
    model,
    ...writing.chunk,
  };
  const chunk = (delta: object, is?: Piece["is"], finish_reason: string | null = null) =>
    sse({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }, is && { is });
  const thoughts = split(reply.reasoning ?? "").map((text) => chunk(writing.thoughts(text), "reasoning"));
  const sealed = (reply.reasoning === undefined ? [] : (writing.sealed ?? [])).map((delta) => chunk(delta));
  const words = split(reply.text ?? "").map((content) => chunk({ content }, "text"));
  const calls = reply.calls.flatMap((call, position) => {
    const index = oddity === "index-from-one" ? position + 1 : position;
    const delta = (fields: object, is?: Piece["is"]) => chunk({ tool_calls: [{ index, ...fields }] }, is);
    const begin = (given: string) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: given },
    });
    if (oddity === "one-piece-arguments") return [delta(begin(argumentsOf(call)), "arguments")];
    const pieces = split(argumentsOf(call)).map((given) =>
      delta({ function: { arguments: given } }, "arguments"),
    );
    return [delta(begin("")), ...pieces];
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...thoughts,
    ...sealed,
    ...(oddity === "text-after-calls" ? [...calls, ...words] : [...words, ...calls]),
    chunk({}, "terminal", finishReasons[reply.finish]),
    ...(writing.hasUsage && oddity !== "no-usage"
      ? [sse({ ...base, choices: [], usage: usageOf(reply, writing.usage) }, { is: "terminal" })]
      : []),
    { data: "data: [DONE]\n\n", is: "terminal" },
  ];
}

const finishReasons: Readonly<Record<WireReply["finish"], string>> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filtered: "content_filter",
};

function usageOf({ usage: { input, cached, output, reasoning } }: WireReply, more: object = {}): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
    ...more,
  };
}
