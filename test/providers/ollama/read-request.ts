import type { Conversation } from "../protocol.ts";
import type { NeutralMessage, NeutralRequest } from "../provider-server.ts";
import type { Message, OllamaRequest } from "./request.ts";

/** A change of `num_ctx` would reload the model and lose its cache. */
export function conversationOf({ messages, tools, options }: OllamaRequest): Conversation {
  const first = messages.findIndex(({ role }) => role === "assistant");
  return {
    head: JSON.stringify([tools, options?.num_ctx]),
    messages: messages.map((message) => JSON.stringify(message)),
    opening: first === -1 ? messages.length : first,
  };
}

export function readRequest({ messages, tools, think }: OllamaRequest): NeutralRequest {
  return {
    messages: neutral(messages.filter(({ role }) => role !== "system")),
    tools: (tools ?? []).map(({ function: { name } }) => name),
    system: messages
      .filter(({ role }) => role === "system")
      .map(({ content }) => content)
      .join("\n"),
    reasoning: think === undefined || think === false ? undefined : String(think),
  };
}

/** Calls have no ids here. Scripts see them numbered, and answers by the numbers of their calls. */
function neutral(messages: readonly Message[]): NeutralMessage[] {
  let made = 0;
  let answered = 0;
  return messages.map(({ role, content: text, tool_calls }) => {
    if (role === "tool") return { role, text, id: `call_${++answered}` };
    if (role !== "assistant") return { role: "user", text };
    const calls = (tool_calls ?? []).map(({ function: { name, arguments: input } }) => ({
      id: `call_${++made}`,
      name,
      input,
    }));
    return { role, text, ...(calls.length > 0 ? { calls } : {}) };
  });
}
