import type { ModelRequest } from "../../models/model.ts";
import type { Works } from "../works.ts";

/** What the model would be asked now. */
export function nextRequest({ parts, conversation, reasoning }: Works): ModelRequest {
  const { system, tools, id, meter } = parts;
  const maxOutputTokens = meter.outputRoom;
  return { system, tools, messages: conversation.messages, reasoning, cacheKey: id, maxOutputTokens };
}
