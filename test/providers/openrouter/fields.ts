import { type ChatFields, chatFields } from "../openai-chat/check-request.ts";

export const openRouterFields: ChatFields = {
  request: new Set([
    ...chatFields.request,
    ...["usage", "reasoning", "provider", "models", "plugins", "cache_control", "session_id"],
  ]),
  message: {
    ...chatFields.message,
    system: new Set(["role", "content", "cache_control"]),
    user: new Set(["role", "content", "cache_control"]),
    assistant: new Set([
      ...["role", "content", "tool_calls", "reasoning", "reasoning_details", "cache_control"],
    ]),
    tool: new Set(["role", "content", "tool_call_id", "name", "cache_control"]),
  },
};
