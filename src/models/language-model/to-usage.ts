import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../model.ts";

/** Counts that nobody has given are none. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const cached = inputTokens.cacheRead ?? 0;
  const cacheWritten = inputTokens.cacheWrite ?? 0;
  return {
    input: inputTokens.total ?? (inputTokens.noCache ?? 0) + cached + cacheWritten,
    cached,
    cacheWritten,
    output: outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0),
    reasoning: outputTokens.reasoning ?? 0,
  };
}
