import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { wordVector } from "./word-vectors.ts";

export interface EmbeddingServer extends AsyncDisposable {
  readonly address: string;
  /** The requests so far. */
  readonly received: readonly ReceivedRequest[];
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[] } & Readonly<
    Record<string, unknown>
  >;
}

/** Answers a request itself, or returns false. */
type Misbehaves = (request: ReceivedRequest, response: ServerResponse) => boolean;

/** Serves `/v1/embeddings` of OpenAI and `/api/embed` of Ollama with vectors of words, on a port of this machine. */
export async function embeddingServer(misbehaves: Misbehaves = () => false): Promise<EmbeddingServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as ReceivedRequest["body"];
    const one = { path: request.url!, headers: request.headers, body };
    received.push(one);
    if (misbehaves(one, response)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answerTo(one)));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo({ path, body }: ReceivedRequest): object {
  const vectors = body.input.map((text) => [...wordVector(text)]);
  const tokens = body.input.join(" ").split(/\s+/).length;
  if (path === "/api/embed") return { model: body.model, embeddings: vectors, prompt_eval_count: tokens };
  if (path !== "/v1/embeddings") return { error: "not found" };
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return {
    object: "list",
    data: data.reverse(),
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): true {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
  return true;
}
