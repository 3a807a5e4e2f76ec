import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelCall } from "./chat.ts";

export interface MessagesModel extends AsyncDisposable {
  readonly url: string;
  /** The requests that offered tools, or continued such a conversation. */
  readonly requests: readonly MessagesRequest[];
}

export interface MessagesRequest {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

interface ModelEvent extends Record<string, unknown> {
  readonly type: string;
}

/** An Anthropic server on this machine that makes calls, or says a text, one turn after the other. */
export async function messagesModel(
  turns: readonly (readonly ModelCall[] | string)[],
): Promise<MessagesModel> {
  const requests: MessagesRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!request.url?.startsWith("/v1/messages?") && request.url !== "/v1/messages") {
      response.writeHead(404).end();
      return;
    }
    const body: MessagesRequest = JSON.parse(Buffer.concat(chunks).toString());
    // Claude Code also makes requests of its own, such as for a title.
    const isTurn = (body.tools?.length ?? 0) > 0;
    const turn = isTurn ? (turns[requests.length] ?? "The conversation was over.") : "Title";
    if (isTurn) requests.push(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(turn, requests.length))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function eventsOf(turn: readonly ModelCall[] | string, number: number): readonly ModelEvent[] {
  const blocks =
    typeof turn === "string"
      ? [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: turn } }]
      : turn.map(([name, input], index) => ({
          start: { type: "tool_use", id: `toolu_${number}_${index}`, name, input: {} },
          delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
        }));
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "any",
    content: [],
    usage,
  };
  const stop_reason = typeof turn === "string" ? "end_turn" : "tool_use";
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
