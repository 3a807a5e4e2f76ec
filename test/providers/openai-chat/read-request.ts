import type { Json } from "../json.ts";
import type { Conversation } from "../protocol.ts";
import type { NeutralMessage, NeutralRequest } from "../provider-server.ts";

export function readChatRequest({ messages, tools = [], reasoning_effort, reasoning }: Json): NeutralRequest {
  return {
    system: messages
      .filter(isInstruction)
      .map(({ content }: Json) => textOf(content))
      .join("\n"),
    messages: messages.filter((message: Json) => !isInstruction(message)).map(neutral),
    tools: tools.map((tool: Json) => tool.function.name),
    reasoning: reasoning_effort ?? reasoning?.effort,
  };
}

export function conversationOf({ messages, tools = [] }: Json): Conversation {
  const first = messages.findIndex(({ role }: Json) => role === "assistant" || role === "tool");
  return {
    head: JSON.stringify(tools),
    messages: messages.map((message: Json) => JSON.stringify(message)),
    opening: first === -1 ? messages.length : first,
  };
}

export function textOf(content: string | null | readonly { text?: string }[]): string {
  if (content === null) return "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function isInstruction({ role }: Json): boolean {
  return role === "system" || role === "developer";
}

function neutral({ role, content, tool_calls = [], tool_call_id }: Json): NeutralMessage {
  const text = textOf(content);
  if (role === "tool") return { role, text, id: tool_call_id };
  if (role === "user") return { role, text };
  const calls = tool_calls.map(({ id, function: made }: Json) => ({
    id,
    name: made.name,
    input: JSON.parse(made.arguments),
  }));
  return { role: "assistant", text, calls };
}
