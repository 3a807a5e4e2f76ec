import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentHappening } from "../event.ts";
import { askModel, nextRequest } from "../round/ask-model.ts";
import type { Reply } from "../session-parts.ts";
import type { Works } from "../works.ts";

/** Makes the conversation shorter by what its model says of it; throws, and changes nothing, where it cannot be. */
export async function shorten(works: Works, signal: AbortSignal): Promise<void> {
  const { conversation, model } = works;
  const { compactConversation } = await import("./compact-conversation.ts");
  const tokensBefore = conversation.context.tokens;
  const compacted = await compactConversation({
    request: nextRequest(works),
    pinned: conversation.pinned,
    contextTokens: model.facts.contextTokens,
    tokensBefore,
    ask: (request) => askAside(works, request, signal),
  });
  signal.throwIfAborted();
  conversation.shorten(compacted);
  works.emit({ type: "compaction", tokensBefore, tokensAfter: compacted.tokensAfter });
  if (conversation.shortenedInARow === manyInARow) works.emit({ type: "warning", message: crowded });
}

const manyInARow = 3;

const crowded =
  "The answers of one round alone fill what the model reads, so that the conversation is summed up after each of them, which costs as much again. Use a model that reads more, or ask for smaller steps.";

/** Before a round: as was asked for, or because the context is full. A model that cannot be got to sum up is asked all the same. */
export async function makeRoom(works: Works, signal: AbortSignal): Promise<void> {
  const wanted = works.wantShorter.splice(0);
  if (wanted.length === 0 && !works.parts.meter.isFull) return;
  let isShorter = false;
  try {
    await shorten(works, signal);
    isShorter = true;
  } catch (error) {
    if (signal.aborted || !(error instanceof ModelError)) throw error;
    works.parts.meter.gaveUp();
    works.emit({ type: "warning", message: `The conversation was not made shorter: ${error.message}` });
  } finally {
    for (const tell of wanted) tell(isShorter);
  }
}

/** A reply that is no part of the conversation. */
async function askAside(works: Works, request: ModelRequest, signal: AbortSignal): Promise<Reply> {
  const { model, parts, nextNumber } = works;
  const emit = (happening: AgentHappening) => {
    if (happening.type === "retry" || happening.type === "warning") works.emit(happening);
  };
  const asked = await askModel({ model, request, limits: parts.limits, signal, nextId: nextNumber, emit });
  if (!asked.isWhole) throw signal.reason;
  works.spend(model, asked.reply.usage);
  return asked.reply;
}
