import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  type EmbeddingServer,
  embeddingServer,
  sendJson,
} from "../../test/support/embeddings/embedding-server.ts";
import { wordVector } from "../../test/support/embeddings/word-vectors.ts";
import { openEmbedder } from "./embeddings.ts";

const { signal } = new AbortController();
const texts = ["open the door", "close the gate"];
const quick = { queryMs: 60_000, firstWaitMs: 1, retries: 2 };

function mine({ address }: EmbeddingServer, limits = {}) {
  const settings = {
    providers: { mine: { type: "openai-chat", baseUrl: `${address}/v1`, apiKey: "key-of-mine" } },
  } as const;
  return openEmbedder("mine/small", settings, {}, { ...quick, ...limits });
}

describe("openEmbedder", () => {
  it("asks a server in OpenAI's format, with the key, and puts the vectors in the order of the texts", async () => {
    await using server = await embeddingServer();
    const embedder = mine(server);
    const answer = await embedder.embed({ texts, purpose: "document" }, { signal });
    expect(answer).toEqual({ vectors: texts.map(wordVector), tokens: 6 });
    expect([embedder.model, embedder.address]).toEqual(["mine/small", server.address]);
    expect(server.received.map(({ path, headers, body }) => [path, headers.authorization, body])).toEqual([
      ["/v1/embeddings", "Bearer key-of-mine", { model: "small", input: texts }],
    ]);
  });

  it("asks Ollama in its own format, at the address of OLLAMA_HOST", async () => {
    await using server = await embeddingServer();
    const embedder = openEmbedder("ollama/nomic-embed-text", {}, { OLLAMA_HOST: server.address });
    const answer = await embedder.embed({ texts, purpose: "query" }, { signal });
    expect(answer).toEqual({ vectors: texts.map(wordVector), tokens: 6 });
    expect(server.received.map(({ path, body }) => [path, body])).toEqual([
      ["/api/embed", { model: "nomic-embed-text", input: texts, truncate: true }],
    ]);
  });

  it("tells Voyage whether a text is a question", async () => {
    await using server = await embeddingServer();
    const providers = { voyage: { type: "openai-chat", baseUrl: `${server.address}/v1` } } as const;
    const embedder = openEmbedder("voyage/voyage-code-3", { providers }, {});
    await embedder.embed({ texts: ["a"], purpose: "query" }, { signal });
    await embedder.embed({ texts: ["b"], purpose: "document" }, { signal });
    expect(server.received.map(({ body }) => body.input_type)).toEqual(["query", "document"]);
  });

  it.each([
    ["voyage/voyage-code-3", "No key for Voyage is configured", "Set VOYAGE_API_KEY."],
    ["openai/text-embedding-3-small", "No key for OpenAI is configured", "Set OPENAI_API_KEY."],
    ["anthropic/claude-sonnet-5", "Toolcrib cannot use embeddings of Anthropic", expect.any(String)],
    ["nowhere/model", expect.stringMatching(/^Unknown provider "nowhere"/), expect.any(String)],
  ])("refuses %s without what it needs", (id, message, hint) => {
    expect(() => openEmbedder(id, {}, {})).toThrow(
      expect.objectContaining({ code: "invalid-input", message, hint }),
    );
  });

  it("waits as long as the server asks, and tries again", async () => {
    let refusals = 2;
    await using server = await embeddingServer(
      (_, response) =>
        refusals-- > 0 && sendJson(response, 429, { error: "slow down" }, { "retry-after": "0" }),
    );
    const { vectors } = await mine(server).embed({ texts, purpose: "document" }, { signal });
    expect([vectors.length, server.received.length]).toEqual([2, 3]);
  });

  it("sends a question only once", async () => {
    await using server = await embeddingServer((_, response) => sendJson(response, 500, {}));
    await expect(mine(server).embed({ texts: ["a"], purpose: "query" }, { signal })).rejects.toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
    expect(server.received.length).toBe(1);
  });

  it("leaves out only the texts that the model refuses", async () => {
    await using server = await embeddingServer(
      ({ body }, response) =>
        body.input.includes("too long") &&
        sendJson(response, 400, { error: { message: "input is too long" } }),
    );
    const given = ["a door", "a gate", "too long", "a window"];
    const { vectors } = await mine(server).embed({ texts: given, purpose: "document" }, { signal });
    expect(vectors).toEqual([wordVector("a door"), wordVector("a gate"), undefined, wordVector("a window")]);
  });

  it("gives up at once when the server refuses every text", async () => {
    await using server = await embeddingServer((_, response) =>
      sendJson(response, 400, { error: { message: "unknown field" } }),
    );
    await expect(mine(server).embed({ texts, purpose: "document" }, { signal })).rejects.toThrow(
      /unknown field/,
    );
    expect(server.received.length).toBe(2);
  });

  it("names an address where nothing listens, and never the key", async () => {
    const server = await embeddingServer();
    await server[Symbol.asyncDispose]();
    const error = await mine(server)
      .embed({ texts, purpose: "query" }, { signal })
      .catch((caught: Error) => caught);
    expect(error).toMatchObject({
      code: "unavailable",
      message: `No embeddings from mine: Cannot connect to ${server.address}: Connection refused.`,
      hint: expect.stringContaining("Check the network"),
    });
    expect(JSON.stringify(error)).not.toContain("key-of-mine");
  });
});

describe("a hostile server", () => {
  const json = (body: unknown) => (response: ServerResponse) => sendJson(response, 200, body);
  const vectorsOf = (...vectors: unknown[]) =>
    json({ data: vectors.map((embedding, index) => ({ index, embedding })) });

  it.each<[string, (response: ServerResponse) => boolean, RegExp]>([
    ["no JSON", (response) => !!response.end("<html>"), /not one vector for each text/],
    ["too few vectors", vectorsOf([1, 2]), /not one vector for each text/],
    ["vectors of different lengths", vectorsOf([1, 2], [1, 2, 3]), /different lengths/],
    ["numbers as text", vectorsOf(["1", "2"], ["3", "4"]), /not a direction/],
    ["no number", vectorsOf([null, 1], [1, 1]), /not a direction/],
    ["a number that is too large", vectorsOf([1e300, 1], [1, 1]), /not a direction/],
    ["zeros", vectorsOf([0, 0], [1, 1]), /not a direction/],
    ["empty vectors", vectorsOf([], []), /not vectors of numbers/],
    ["vectors that are too long", vectorsOf(new Array(8193).fill(1), [1]), /not vectors of numbers/],
    [
      "a redirect to a private address",
      (response) => !!response.writeHead(307, { location: "http://169.254.169.254/latest" }).end(),
      /redirects are not followed/,
    ],
  ])("that sends %s is refused", async (_, misbehave, message) => {
    await using server = await embeddingServer((_request, response) => misbehave(response));
    const asked = mine(server).embed({ texts, purpose: "query" }, { signal });
    await expect(asked).rejects.toThrow(
      expect.objectContaining({ code: "unavailable", message: expect.stringMatching(message) }),
    );
  });

  it("that sends an endless answer is cut off", { tags: "slow" }, async () => {
    await using server = await embeddingServer((_, response) => {
      const line = Buffer.alloc(1024 ** 2, " \n");
      const more = () => response.writable && response.write(line, more);
      more();
      return true;
    });
    await expect(mine(server).embed({ texts, purpose: "query" }, { signal })).rejects.toThrow(
      /longer than 32 MB/,
    );
  });

  it("that never answers is left after the deadline", async () => {
    await using server = await embeddingServer(() => true);
    await expect(
      mine(server, { queryMs: 50 }).embed({ texts, purpose: "query" }, { signal }),
    ).rejects.toThrow(/did not answer within 0\.05 s/);
  });

  it("that asks for a long wait is not waited for", async () => {
    await using server = await embeddingServer((_, response) =>
      sendJson(response, 429, {}, { "retry-after": "86400" }),
    );
    await expect(mine(server).embed({ texts, purpose: "document" }, { signal })).rejects.toThrow(/429/);
    expect(server.received.length).toBe(1);
  });
});
