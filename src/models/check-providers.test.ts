import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { ProviderKind } from "../../test/providers/provider-server.ts";
import { startProvider } from "../../test/providers/start-provider.ts";
import { checkProviders } from "./check-providers.ts";
import { chooseModel } from "./default-model.ts";
import type { ModelSettings } from "./settings.ts";

describe("lists the models of a provider:", () => {
  it.each<[ProviderKind, string, object]>([
    ["openai", "gpt-5.5", { contextTokens: 1_050_000 }],
    ["openai-chat", "qwen3-coder", {}],
    ["anthropic", "claude-new", { contextTokens: 200_000 }],
    ["google", "gemini-new", { contextTokens: 1_048_576 }],
    ["openrouter", "anthropic/claude-opus-5", { contextTokens: 1_000_000 }],
    ["ollama", "qwen3:8b", { prices: { input: 0, output: 0 } }],
  ])("%s", async (kind, model, facts) => {
    const server = await startProvider(kind, [], {
      models: [model, "text-embedding-3", "nomic-embed-text:v1.5"],
    });
    try {
      const [own] = Object.keys(server.settings.providers ?? {});
      const reached = await checkProviders({ settings: server.settings, variables: {}, only: [own!] });
      expect(reached).toMatchObject([
        {
          name: own,
          addressFrom: "models.json",
          keyFrom: "models.json",
          state: "reachable",
          problem: null,
          models: [{ id: `${own}/${model}`, name: model, facts }],
        },
      ]);
      expect(reached[0]?.models).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

it("refuses an endless list", { tags: "slow" }, async () => {
  await using server = await listening((_, response) => response.end("x".repeat(17 * 1024 ** 2)));
  const settings = { providers: { mine: { type: "openai-chat", baseUrl: server.url } } } as const;
  const [reached] = await checkProviders({ settings, variables: {}, only: ["mine"], timeoutMs: 60_000 });
  expect([reached?.state, reached?.problem]).toEqual([
    "unreachable",
    `The reply of ${new URL(server.url).host} is too long.`,
  ]);
});

it("reports why each provider is unreachable, and never shows a key", { tags: "slow" }, async () => {
  const server = await startProvider("openai", []);
  await using silent = await listening(() => {});
  await using page = await listening((_, response) => response.end("<html>Hello</html>"));
  await using elsewhere = await listening((_, response) =>
    response.writeHead(302, { location: page.url }).end(),
  );
  const mine = (baseUrl: string) => ({ type: "openai-chat", baseUrl, apiKey: "sk-secret-key" }) as const;
  const settings: ModelSettings = {
    providers: {
      openai: { baseUrl: `${server.url}/v1`, apiKey: "sk-wrong-key" },
      silent: mine(silent.url),
      page: mine(page.url),
      elsewhere: mine(elsewhere.url),
      forbidden: mine("http://127.0.0.1:1/v1"),
      odd: { type: "openai-chat", baseUrl: page.url, apiKey: "sk-with\nbreak" },
      what: { baseUrl: page.url },
    },
  };
  const variables = { OLLAMA_HOST: "127.0.0.1:1", OPENROUTER_API_KEY: " " };
  const reached = await checkProviders({ settings, variables, timeoutMs: 3_000 });
  const reported = Object.fromEntries(
    reached.map(({ name, state, problem, hint }) => [name, [state, problem, hint]]),
  );
  expect(reported).toEqual({
    anthropic: [
      "no-key",
      "No key is configured.",
      "Set ANTHROPIC_API_KEY. Get a key at https://console.anthropic.com/settings/keys",
    ],
    openai: ["unreachable", "The key was rejected: Incorrect API key provided.", "Check models.json."],
    google: [
      "no-key",
      "No key is configured.",
      "Set GEMINI_API_KEY. Get a key at https://aistudio.google.com/apikey",
    ],
    openrouter: [
      "no-key",
      "No key is configured.",
      "Set OPENROUTER_API_KEY. Get a key at https://openrouter.ai/keys",
    ],
    ollama: ["unreachable", "Cannot connect to http://127.0.0.1:1: bad port", null],
    silent: ["unreachable", `${silent.url} did not answer within 3 s.`, null],
    page: [
      "unreachable",
      `${page.url} did not return a list of models.`,
      "Check the address. For most servers it ends in /v1.",
    ],
    elsewhere: [
      "unreachable",
      `${new URL(elsewhere.url).host} redirects to ${page.url}/; redirects are not followed.`,
      "If you trust that address, set it as the base URL of the provider.",
    ],
    forbidden: ["unreachable", "Cannot connect to http://127.0.0.1:1/v1: bad port", null],
    odd: [
      "unreachable",
      "The key in models.json contains an invalid character",
      "Copy the key again, without spaces or quotation marks.",
    ],
    what: [
      "unreachable",
      'The provider "what" has no `type` in models.json',
      expect.stringContaining("Set providers.what.type"),
    ],
  });
  expect(JSON.stringify(reached)).not.toMatch(/sk-/);
  await server.close();
});

it("checks the key of OpenRouter, whose list is public", async () => {
  await using server = await listening(({ url }, response) => {
    if (url === "/models") response.end(JSON.stringify({ data: [{ id: "a/b" }] }));
    else response.writeHead(401).end(JSON.stringify({ error: { message: "No such user", code: 401 } }));
  });
  const settings = { providers: { openrouter: { baseUrl: server.url, apiKey: "sk-or-wrong" } } };
  const [reached] = await checkProviders({ settings, variables: {}, only: ["openrouter"] });
  expect([reached?.state, reached?.problem]).toEqual(["unreachable", "The key was rejected: No such user"]);
});

it("reads context lengths, prices and capabilities from lists", async () => {
  await using server = await listening((_, response) => {
    const pricing = { prompt: "0.00000025", completion: "0.000002", input_cache_read: "0.000000025" };
    const data = [
      { id: "x/one", context_length: 1000, pricing, supported_parameters: ["tools"] },
      { id: "x/two", max_model_len: 2000, pricing: { prompt: "-1", completion: "-1" } },
      { id: "x/three", supported_parameters: [] },
      { id: 7 },
      null,
    ];
    response.end(JSON.stringify({ data }));
  });
  const settings = {
    providers: { mine: { type: "openai-chat", baseUrl: server.url } },
    models: { "mine/x/two": { maxOutputTokens: 5 } },
  } as const;
  const [reached] = await checkProviders({ settings, variables: {}, only: ["mine"] });
  expect(reached?.models).toEqual([
    {
      id: "mine/x/one",
      name: "x/one",
      facts: { contextTokens: 1000, callsTools: true, prices: { input: 0.25, output: 2, cached: 0.025 } },
    },
    { id: "mine/x/two", name: "x/two", facts: { contextTokens: 2000, maxOutputTokens: 5 } },
    { id: "mine/x/three", name: "x/three", facts: { callsTools: false } },
  ]);
});

it("chooses a default model", async () => {
  const ollama = await startProvider("ollama", [], { models: ["nomic-embed-text", "qwen3:8b"] });
  const nowhere = { OLLAMA_HOST: "127.0.0.1:1" };
  const own = {
    providers: { ...ollama.settings.providers, mine: { type: "openai-chat", baseUrl: "http://127.0.0.1:1" } },
  };
  try {
    expect([
      await chooseModel({ default: "x/y" }, { TOOLCRIB_MODEL: "a/b", OPENAI_API_KEY: "k" }),
      await chooseModel({ default: "x/y" }, { OPENAI_API_KEY: "k" }),
      await chooseModel({}, { OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }),
      await chooseModel({ providers: { google: { apiKey: "k" } } }, {}),
      await chooseModel(own as ModelSettings, {}),
      await chooseModel({}, nowhere),
    ]).toEqual([
      { id: "a/b", from: "TOOLCRIB_MODEL" },
      { id: "x/y", from: "models.json" },
      { id: "openai/gpt-6.1-sol", from: "OPENAI_API_KEY" },
      { id: "google/gemini-pro-latest", from: "models.json" },
      { id: "ollama/qwen3:8b", from: "ollama" },
      undefined,
    ]);
  } finally {
    await ollama.close();
  }
});

async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
