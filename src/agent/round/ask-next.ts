import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { shorten } from "../shorten.ts";
import type { Works } from "../works.ts";
import { type Asked, askModel } from "./ask-model.ts";

/** Asks the model for the next reply. What it cannot read at once is made shorter, once. */
export async function askNext(works: Works, signal: AbortSignal): Promise<Asked> {
  const ask = () => askModel({ ...asking(works, signal), request: nextRequest(works) });
  try {
    return await ask();
  } catch (error) {
    const isOverflow = error instanceof ModelError && error.kind === "overflow";
    if (!isOverflow || works.conversation.isJustShortened) throw error;
    await shorten(works, signal);
    return ask();
  }
}

export function nextRequest({ parts, conversation, reasoning }: Works): ModelRequest {
  const { system, tools, id, meter } = parts;
  const maxOutputTokens = meter.outputRoom;
  return { system, tools, messages: conversation.messages, reasoning, cacheKey: id, maxOutputTokens };
}

export function asking({ parts, model, nextNumber, emit }: Works, signal: AbortSignal) {
  return { model, limits: parts.limits, signal, nextId: nextNumber, emit };
}
