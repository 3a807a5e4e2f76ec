import type { Json } from "../json.ts";
import type { ProviderProtocol } from "../protocol.ts";
import { sse } from "../sse.ts";
import { chatFields, checkChatRequest } from "./check-request.ts";
import { modelList, openAiError } from "./plain-answers.ts";
import { conversationOf, readChatRequest } from "./read-request.ts";
import { SentReasoning } from "./sent-reasoning.ts";
import { chatPieces } from "./write-pieces.ts";

/** Chat Completions, as servers compatible with OpenAI's implement it. */
export function openAiChatProtocol(): ProviderProtocol {
  const sent = new SentReasoning();
  return {
    provider: "openai-chat",
    models: ["qwen3-coder", "qwen3-coder-small"],
    contentType: "text/event-stream; charset=utf-8",
    idPrefix: "call_",
    basePath: "/v1",
    route: ({ method, address, models }) => {
      if (method === "POST" && address.pathname === "/v1/chat/completions") return "reply";
      return modelList({ method, address, models }, "/v1/models");
    },
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    modelOf: ({ model }) => model,
    read: readChatRequest,
    conversation: conversationOf,
    cache: { leastTokens: 1_024, stepTokens: 128 },
    check: (body) => checkChatRequest(body, chatFields, isKept, sent),
    pieces: (reply, body) => {
      sent.thought(reply, reply.reasoning);
      return chatPieces(reply, {
        hasUsage: body.stream_options?.include_usage === true,
        thoughts: (text) => ({ reasoning_content: text }),
      });
    },
    errorPiece: () => sse(openAiError(500, "The engine died.")),
    errorBody: openAiError,
  };
}

/** Some servers require the reasoning and some ignore it, but none accepts a changed one. */
function isKept({ reasoning_content }: Json, known: unknown): boolean {
  return reasoning_content === undefined || reasoning_content === known;
}
