import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { openModel } from "../open-model.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const kinds = ["openai", "openai-chat", "anthropic", "google", "openrouter", "ollama"];
/** Every provider is asked by the same function. Ollama answers in lines, the others in events. */
const isRepeated = (kind: string) => kind !== "openai" && kind !== "ollama";

it.each(kinds)("sends neither the key nor the conversation of %s to a redirect target", async (kind) => {
  const stolen: unknown[] = [];
  const elsewhere = await serve((request, response) => {
    stolen.push(request.headers);
    response.writeHead(500).end();
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const baseUrl = await serve((_, response) =>
      response.writeHead(status, { location: `${elsewhere}/v2?key=1` }).end(),
    );
    await expect(ask(kind, baseUrl)).rejects.toMatchObject({
      code: "bad-request",
      status,
      message: `${new URL(baseUrl).host} redirects to ${elsewhere}/v2; redirects are not followed.`,
    });
  }
  expect(stolen).toEqual([]);
});

it.each(kinds)("aborts an endless reply of %s", { tags: "slow" }, async (kind) => {
  let sent = 0;
  // Events, and lines of JSON for Ollama.
  for (const beginning of ["data: ", '{"x":"']) {
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, {
        "content-type": kind === "ollama" ? "application/x-ndjson" : "text/event-stream",
      });
      response.write(beginning);
      const goOn = () => {
        while (response.write(filling)) sent += filling.length;
        sent += filling.length;
        response.once("drain", goOn);
      };
      goOn();
    });
    await expect(ask(kind, baseUrl)).rejects.toMatchObject({
      code: "bad-request",
      message: `The reply of ${new URL(baseUrl).host} is too long.`,
    });
    // One line exceeds its limit long before the whole response does.
    expect(sent).toBeLessThan(128 * 1024 ** 2);
    sent = 0;
  }
});

for (const kind of kinds) {
  const tags = isRepeated(kind) ? ["slow"] : [];
  it(`reads only the beginning of an endless error of ${kind}`, { tags }, async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(500, { "content-encoding": "gzip" });
      response.end(endlessError);
    });
    await expect(ask(kind, baseUrl)).rejects.toMatchObject({ code: "server", status: 500 });
  });
}

const filling = Buffer.alloc(1024 ** 2, "x");
const endlessError = gzipSync(Buffer.alloc(64 * 1024 ** 2, "x"), { level: 1 });

async function ask(kind: string, baseUrl: string): Promise<void> {
  const providers = { [kind]: { baseUrl, apiKey: "test-key" } };
  const model = await openModel(`${kind}/some/model`, { providers }, {});
  const request = { system: "", messages: [words], tools: [] };
  for await (const { type } of model.stream(request, new AbortController().signal))
    expect(type).not.toBe("finish");
}

const words = { role: "user", content: [{ type: "text", text: "Hello" }] } as const;
