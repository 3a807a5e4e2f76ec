import { modelList, openAiError } from "../openai-chat/plain-answers.ts";
import type { ProviderProtocol } from "../protocol.ts";
import { checkResponsesRequest } from "./check-request.ts";
import { readResponsesRequest } from "./read-request.ts";
import { SentItems } from "./sent-items.ts";
import { responsesPieces } from "./write-pieces.ts";

/** The Responses API. */
export function openAiProtocol(): ProviderProtocol {
  const sent = new SentItems();
  return {
    provider: "openai",
    models: ["gpt-5", "gpt-5-mini"],
    contentType: "text/event-stream; charset=utf-8",
    idPrefix: "call_",
    basePath: "/v1",
    route: ({ method, address, models }) => {
      if (method === "POST" && address.pathname === "/v1/responses") return "reply";
      return modelList({ method, address, models }, "/v1/models");
    },
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    modelOf: ({ model }) => model,
    read: readResponsesRequest,
    conversation: ({ input, instructions = "", tools = [] }) => ({
      head: JSON.stringify([instructions, tools]),
      messages: input.map((item: object) => JSON.stringify(item)),
      opening: openingOf(input),
    }),
    cache: { leastTokens: 1_024, stepTokens: 128 },
    check: (body) => checkResponsesRequest(body, sent),
    pieces: (reply, body) => responsesPieces(reply, body, sent),
    errorPiece: () => ({
      data: `event: error\ndata: ${JSON.stringify({ type: "error", sequence_number: 99, code: "server_error", message: "The server had an error.", param: null })}\n\n`,
    }),
    errorBody: openAiError,
  };
}

function openingOf(input: readonly { role?: string }[]): number {
  const first = input.findIndex(({ role }) => role === undefined || role === "assistant");
  return first === -1 ? input.length : first;
}
