import { ModelError } from "../../models/model-error.ts";
import { shorten } from "../shorten.ts";
import type { Works } from "../works.ts";
import { type Asked, askModel } from "./ask-model.ts";
import { nextRequest } from "./next-request.ts";

/** Asks the model for the next reply. What it cannot read at once is made shorter, once. */
export async function askNext(works: Works, signal: AbortSignal): Promise<Asked> {
  const ask = () => {
    const { model, parts, nextNumber, emit } = works;
    const request = nextRequest(works);
    return askModel({ model, request, limits: parts.limits, signal, nextId: nextNumber, emit });
  };
  try {
    return await ask();
  } catch (error) {
    const isOverflow = error instanceof ModelError && error.kind === "overflow";
    if (!isOverflow || works.conversation.isJustShortened) throw error;
    await shorten(works, signal);
    return ask();
  }
}
