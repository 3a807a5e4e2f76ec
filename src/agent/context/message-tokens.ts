import type { ToolDefinition } from "../../dialects/definition.ts";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import type { CallInput, Message, ReplyPart } from "../../models/message.ts";

/** What a message may cost in every request, rather too much than too little. */
export function messageTokens(message: Message): number {
  if (message.role === "tool")
    return sum(
      message.answers.map(({ content, images }) => textTokens(content) + images.length * imageTokens),
    );
  if (message.role === "assistant") return sum(message.content.map(partTokens));
  return sum(message.content.map((part) => (part.type === "image" ? imageTokens : textTokens(part.text))));
}

export function conversationTokens(messages: readonly Message[]): number {
  return sum(messages.map(messageTokens));
}

/** What every request of a session costs before anything was said. */
export function frameTokens(system: string, tools: readonly ToolDefinition[]): number {
  const told = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return estimateTokens(system) + estimateTokens(JSON.stringify(told));
}

/** Roles, ids and the like. */
const partOverhead = 8;

/** Providers count a picture by its size, and seldom more than this. */
const imageTokens = 1_600;

function partTokens(part: ReplyPart): number {
  return part.type === "call"
    ? textTokens(part.name) + estimateTokens(inputText(part.input))
    : textTokens(part.text);
}

function inputText(input: CallInput): string {
  return input.ok ? (JSON.stringify(input.value) ?? "") : input.given;
}

function textTokens(text: string): number {
  return partOverhead + estimateTokens(text);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
