import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { AgentEventBody } from "../event.ts";
import { askWithHooks, nextRequest } from "../round/ask-model.ts";
import { askHook } from "../round/hooks.ts";
import type { Reply } from "../round/reply-reader.ts";
import type { SessionCore } from "../session-core.ts";
import type { HookedCompaction } from "../session-hooks.ts";
import { clearOutputs } from "./clearing.ts";

/** Replaces old messages by a summary that the model writes. Throws, and changes nothing, when that fails. */
export async function compact(
  core: SessionCore,
  signal: AbortSignal,
  trigger: HookedCompaction["trigger"] = "auto",
): Promise<void> {
  const { conversation, model, parts } = core;
  const refused = await askHook(parts.hooks, "PreCompact", [{ trigger, ...conversation.context }], signal);
  if (refused) throw new ModelError("bad-request", `The PreCompact hook blocked it: ${refused.block}`);
  const { compactConversation } = await import("./compact-conversation.ts");
  const tokensBefore = conversation.context.tokens;
  const compacted = await compactConversation({
    request: nextRequest(core),
    pinned: conversation.pinned,
    contextTokens: model.facts.contextTokens,
    tokensBefore,
    ask: (request) => askAside(core, request, signal),
  });
  signal.throwIfAborted();
  conversation.compact(compacted);
  core.emit({ type: "compaction", tokensBefore, tokensAfter: compacted.tokensAfter });
  if (conversation.compactedInARow === manyInARow) core.emit({ type: "warning", message: crowded });
}

const manyInARow = 3;

const crowded =
  "The results of a single round fill the context window, so the conversation is compacted after every round. Use a model with a larger context window, or ask for smaller steps.";

/**
 * Clears old outputs when the context is large, and compacts on request or when it is still full. A failure does not stop
 * the round.
 */
export async function shortenIfNeeded(core: SessionCore, signal: AbortSignal): Promise<void> {
  const wanted = core.compactionRequests.splice(0);
  const { isLarge, isFull } = core.parts.meter;
  if (wanted.length === 0 && isLarge) await clearOutputs(core, { isFull });
  if (wanted.length === 0 && !core.parts.meter.isFull) return;
  let isShorter = false;
  try {
    await compact(core, signal, wanted.length > 0 ? "manual" : "auto");
    isShorter = true;
  } catch (error) {
    if (signal.aborted || !(error instanceof ModelError)) throw error;
    core.parts.meter.gaveUp();
    core.emit({ type: "warning", message: `The conversation was not compacted: ${error.message}` });
  } finally {
    for (const settle of wanted) settle(isShorter);
  }
}

/** Asks for a reply that does not join the conversation. */
async function askAside(core: SessionCore, request: ModelRequest, signal: AbortSignal): Promise<Reply> {
  const { model } = core;
  const emit = (happening: AgentEventBody) => {
    if (happening.type === "retry" || happening.type === "warning") core.emit(happening);
  };
  const asked = await askWithHooks(core, request, "summary", signal, emit);
  if (!asked.isWhole) throw signal.reason;
  core.spend(model, asked.reply.usage);
  return asked.reply;
}
