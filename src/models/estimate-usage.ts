import { oncePerObject } from "../lib/once-per-object.ts";
import { estimateTokens } from "../lib/text/estimate-tokens.ts";
import type { Message } from "./message.ts";
import type { ModelRequest, TokenUsage } from "./model.ts";

type Asked = Pick<ModelRequest, "system" | "tools" | "messages">;

/** Estimates the tokens of a request. */
export function estimateInput({ system, tools, messages }: Asked): number {
  const frame = estimateTokens(system) + tokensOfTools(tools);
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), frame);
}

/** Estimates what a reply used that broke off before the provider said so: providers charge for it. */
export function estimateBrokenUsage(request: Asked, received: string): TokenUsage {
  const output = estimateTokens(received);
  return { input: estimateInput(request), cached: 0, cacheWritten: 0, output, reasoning: 0 };
}

const tokensOfMessage = oncePerObject((message: Message) => estimateTokens(JSON.stringify(message)));
const tokensOfTools = oncePerObject((tools: ModelRequest["tools"]) => estimateTokens(JSON.stringify(tools)));
