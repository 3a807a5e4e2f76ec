import type { ProviderProtocol } from "../protocol.ts";
import { requestFaults } from "./check-request.ts";
import { errorBody, modelAsked, route } from "./plain-answers.ts";
import { conversationOf, readRequest } from "./read-request.ts";
import type { GoogleRequest } from "./request.ts";
import { SentReplies } from "./sent-replies.ts";
import { errorPiece, replyPieces } from "./write-pieces.ts";

/** The Gemini API, streamGenerateContent. */
export function googleProtocol(): ProviderProtocol {
  const sent = new SentReplies();
  return {
    provider: "google",
    models: ["gemini-3.1-pro-preview", "gemini-2.5-flash"],
    contentType: "text/event-stream",
    idPrefix: "call_",
    basePath: "/v1beta",
    hasWaitInBody: true,
    route,
    keyOf: ({ "x-goog-api-key": key }, address) =>
      key === undefined ? (address.searchParams.get("key") ?? undefined) : String(key),
    modelOf: (_body, address) => modelAsked(address),
    read: readRequest,
    conversation: conversationOf,
    cache: { leastTokens: 4_096 },
    check: (body: GoogleRequest, _headers, address) =>
      requestFaults(body, { sent, needsSignatures: /^gemini-[3-9]/.test(modelAsked(address)!) }),
    pieces: (reply) => replyPieces(reply, sent),
    errorPiece,
    errorBody,
  };
}
