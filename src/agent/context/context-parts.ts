import type { ToolDefinition } from "../../dialects/definition.ts";
import type { Message } from "../../models/message.ts";
import type { ContextUse } from "../event.ts";
import { conversationTokens, frameTokens, messageTokens } from "./meter.ts";

/** One kind of content in the context window. */
export interface ContextPart {
  readonly name: "system prompt" | "tools" | "your messages" | "replies" | "files" | "other tool outputs";
  readonly tokens: number;
}

/** Splits the used tokens by what they are spent on. The shares are estimates that add up to the measured total. */
export function splitContext(
  { system, tools, messages }: Framed,
  { tokens }: Pick<ContextUse, "tokens">,
): readonly ContextPart[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool.canonical]));
  const prompt = frameTokens(system, []);
  const sum = (wanted: readonly Message[]) => conversationTokens(wanted);
  const answers = messages.flatMap((message) => (message.role === "tool" ? message.answers : []));
  const isFile = (name: string) => readsFiles.has(byName.get(name) ?? name);
  const ofAnswers = (files: boolean) =>
    messageTokens({ role: "tool", answers: answers.filter(({ name }) => isFile(name) === files) });
  const estimates: readonly ContextPart[] = [
    { name: "system prompt", tokens: prompt },
    { name: "tools", tokens: frameTokens("", tools) },
    { name: "your messages", tokens: sum(messages.filter(({ role }) => role === "user")) },
    { name: "replies", tokens: sum(messages.filter(({ role }) => role === "assistant")) },
    { name: "files", tokens: ofAnswers(true) },
    { name: "other tool outputs", tokens: ofAnswers(false) },
  ];
  const total = estimates.reduce((count, part) => count + part.tokens, 0);
  const scale = tokens / Math.max(1, total);
  return estimates.map((part) => ({ ...part, tokens: Math.round(part.tokens * scale) }));
}

interface Framed {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
}

const readsFiles: ReadonlySet<string> = new Set(["file.read", "document.read", "code.read_symbol"]);
