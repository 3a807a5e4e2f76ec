import { checkChatRequest } from "../openai-chat/check-request.ts";
import { modelList } from "../openai-chat/plain-answers.ts";
import { conversationOf, readChatRequest } from "../openai-chat/read-request.ts";
import { SentReasoning } from "../openai-chat/sent-reasoning.ts";
import { chatPieces } from "../openai-chat/write-pieces.ts";
import type { ProviderProtocol } from "../protocol.ts";
import { sse } from "../sse.ts";
import { openRouterFields } from "./fields.ts";
import { areKept, detailsOf } from "./reasoning-details.ts";

/** OpenRouter: Chat Completions, with the reasoning of each vendor's models in its own format. */
export function openRouterProtocol(): ProviderProtocol {
  const sent = new SentReasoning();
  return {
    provider: "openrouter",
    models: ["anthropic/claude-sonnet-4.5", "openai/gpt-5"],
    contentType: "text/event-stream",
    idPrefix: "call_",
    basePath: "/api/v1",
    route: ({ method, address, models }) => {
      if (method === "POST" && address.pathname === "/api/v1/chat/completions") return "reply";
      return modelList({ method, address, models }, "/api/v1/models");
    },
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    modelOf: ({ model }) => model,
    read: readChatRequest,
    conversation: conversationOf,
    check: (body) => checkChatRequest(body, openRouterFields, areKept, sent),
    pieces: (reply, body) => {
      const details = detailsOf(reply);
      sent.thought(reply, details.whole);
      const chunks = chatPieces(reply, {
        hasUsage: body.usage?.include === true,
        thoughts: details.delta,
        sealed: details.sealed,
        chunk: { provider: "Loopback" },
        usage: { cost: 0.001, is_byok: false },
      });
      return [processing, chunks[0]!, processing, ...chunks.slice(1)];
    },
    errorPiece: () =>
      sse({
        id: "gen-error",
        object: "chat.completion.chunk",
        created: 1_760_000_000,
        model: "loopback",
        provider: "Loopback",
        error: { code: 502, message: "Provider disconnected unexpectedly" },
        choices: [
          { index: 0, delta: { content: "" }, finish_reason: "error", native_finish_reason: "error" },
        ],
      }),
    errorBody: (code, message) => ({ error: { message, code }, user_id: "user_loopback" }),
  };
}

/** Keeps the connection alive while a model starts. */
const processing = { data: ": OPENROUTER PROCESSING\n\n" };
