import { apiKey, type ProviderProtocol } from "../protocol.ts";
import { requestFaults } from "./check-request.ts";
import { errorBody, route } from "./plain-answers.ts";
import { conversationOf, readRequest } from "./read-request.ts";
import type { OllamaRequest } from "./request.ts";
import { SentReplies } from "./sent-replies.ts";
import { errorPiece, refusalOf, replyPieces } from "./write-pieces.ts";

/** Ollama's own API. */
export function ollamaProtocol(): ProviderProtocol {
  const sent = new SentReplies();
  return {
    provider: "ollama",
    models: ["qwen3:8b", "gpt-oss:20b", "qwen3-vl:8b", "gemma3:4b"],
    contentType: "application/x-ndjson",
    idPrefix: "call_",
    basePath: "",
    route,
    // It requires no key.
    keyOf: () => apiKey,
    modelOf: (body: OllamaRequest) => body.model,
    read: readRequest,
    conversation: conversationOf,
    check: (body: OllamaRequest) => requestFaults(body, sent),
    refusalOf,
    pieces: (reply, body: OllamaRequest) => replyPieces(reply, body, sent),
    errorPiece,
    errorBody,
  };
}
