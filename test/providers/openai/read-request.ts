import type { Json } from "../json.ts";
import type { NeutralMessage, NeutralRequest } from "../provider-server.ts";

export function readResponsesRequest(body: Json): NeutralRequest {
  const { input, instructions, tools = [], reasoning } = body;
  const system = input.filter(({ role }: Json) => role === "system" || role === "developer");
  return {
    system: [instructions ?? [], ...system.map(({ content }: Json) => textOf(content))].flat().join("\n"),
    messages: messagesOf(input),
    tools: tools.map(({ type, name }: { type: string; name?: string }) => name ?? type),
    reasoning: reasoning?.effort,
  };
}

/** Items of one reply form one message. */
function messagesOf(input: readonly Json[]): NeutralMessage[] {
  const messages: NeutralMessage[] = [];
  const assistant = (text: string, calls: NeutralMessage["calls"] = []) => {
    const last = messages.at(-1);
    if (last?.role !== "assistant") messages.push({ role: "assistant", text, calls });
    else
      messages[messages.length - 1] = { ...last, text: last.text + text, calls: [...last.calls!, ...calls] };
  };
  for (const item of input) {
    if (item.role === "user") messages.push({ role: "user", text: textOf(item.content) });
    else if (item.role === "assistant") assistant(textOf(item.content));
    else if (item.type === "function_call")
      assistant("", [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]);
    else if (item.type === "custom_tool_call")
      assistant("", [{ id: item.call_id, name: item.name, input: item.input }]);
    else if (item.type === "tool_search_call")
      assistant("", [{ id: item.call_id, name: "tool_search", input: item.arguments }]);
    else if (item.type === "tool_search_output")
      messages.push({ role: "tool", id: item.call_id, text: JSON.stringify(item.tools) });
    else if (item.call_id !== undefined)
      messages.push({ role: "tool", id: item.call_id, text: textOf(item.output) });
  }
  return messages;
}

export function textOf(content: string | readonly { text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
