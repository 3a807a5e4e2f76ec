import { describe, expect, it } from "vitest";
import { openModel, parseModelId } from "./open-model.ts";
import { providerAccess } from "./provider-access.ts";
import type { ModelSettings } from "./settings.ts";

describe("parses the model id", () => {
  it.each([
    ["openai/gpt-6.1-sol", "openai", "gpt-6.1-sol"],
    ["openrouter/anthropic/claude-sonnet-4.5:beta", "openrouter", "anthropic/claude-sonnet-4.5:beta"],
    ["ollama/hf.co/me/qwen3:8b", "ollama", "hf.co/me/qwen3:8b"],
    [" gpt-5.5 ", "openai", "gpt-5.5"],
    ["o3", "openai", "o3"],
    ["claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"],
    ["gemini-pro-latest", "google", "gemini-pro-latest"],
  ])("%s", (id, provider, name) => {
    expect(parseModelId(id)).toEqual({ provider, name });
  });
});

describe("explains what is wrong with", () => {
  const mine: ModelSettings = { providers: { mine: { baseUrl: "http://localhost:1/v1" } } };
  const far: ModelSettings = {
    providers: { far: { type: "openai-chat", baseUrl: "http://me:secret@far/v1" } },
  };
  it.each([
    [
      "gpt-oss",
      {},
      'invalid-input: "gpt-oss" does not name a provider. Use provider/name, for example openai/gpt-6.1-sol. To list models, run: toolcrib models',
    ],
    ["qwen3:8b", {}, 'invalid-input: "qwen3:8b" does not name a provider. Did you mean ollama/qwen3:8b?'],
    [
      "openai/",
      {},
      'invalid-input: "openai/" names a provider, but no model. To list its models, run: toolcrib models openai',
    ],
    [
      "ollama/q\u001b[2J",
      {},
      "invalid-input: The name of the model contains invisible characters. Copy it from the output of: toolcrib models",
    ],
    [
      "",
      {},
      'invalid-input: "" does not name a provider. Use provider/name, for example openai/gpt-6.1-sol. To list models, run: toolcrib models',
    ],
    [
      "opnai/gpt-5",
      {},
      'invalid-input: Unknown provider "opnai"; known: anthropic, openai, openai-chat, google, openrouter, ollama. Did you mean openai?',
    ],
    [
      "__proto__/x",
      mine,
      'invalid-input: Unknown provider "__proto__"; known: anthropic, openai, openai-chat, google, openrouter, ollama, mine. To use your own server, add it to models.json.',
    ],
    [
      "mine/x",
      mine,
      'invalid-input: The provider "mine" has no `type` in models.json. Set providers.mine.type to one of anthropic, openai, openai-chat, google, openrouter, ollama. Most servers are openai-chat.',
    ],
    [
      "far/x",
      far,
      "invalid-input: The address of far in models.json is not a valid http address. Use the form https://api.openai.com/v1, without a user name or password.",
    ],
    [
      "google/gemini-pro-latest",
      {},
      "auth: No key for Google Gemini is configured. Set GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY. Get a key at https://aistudio.google.com/apikey",
    ],
    [
      "claude-sonnet-5-5",
      { providers: { anthropic: { apiKeyFrom: "WORK_KEY" } } } as ModelSettings,
      "auth: No key for Anthropic is configured. Set WORK_KEY. Get a key at https://console.anthropic.com/settings/keys",
    ],
  ])("%s", async (id, settings, trouble) => {
    const errorText = await openModel(id, settings, { OPENAI_API_KEY: "sk-openai" }).catch(
      ({ code, kind, message, hint }) => `${code ?? kind}: ${message.replace(/\.$/, "")}. ${hint}`,
    );
    expect(errorText).toBe(trouble);
  });
});

it("merges known facts with the user's settings, which win", async () => {
  const prices = { input: 1, output: 2 };
  const settings = { models: { "openai/gpt-5.5": { contextTokens: 5, prices } } };
  const { id, provider, name, facts } = await openModel("gpt-5.5", settings, { OPENAI_API_KEY: "k" });
  expect({ id, provider, name, facts }).toEqual({
    id: "openai/gpt-5.5",
    provider: "openai",
    name: "gpt-5.5",
    facts: {
      contextTokens: 5,
      maxOutputTokens: 128_000,
      callsTools: true,
      seesImages: true,
      defersTools: true,
      prices,
    },
  });
});

describe("connects to", () => {
  const variables = {
    OPENAI_API_KEY: "sk-openai",
    OPENAI_BASE_URL: "https://proxy.example/openai/",
    ANTHROPIC_BASE_URL: "https://proxy.example/anthropic",
    ANTHROPIC_AUTH_TOKEN: "token",
    ANTHROPIC_API_KEY: "sk-ant",
    GOOGLE_API_KEY: " AIza ",
    GEMINI_API_KEY: "",
    GOOGLE_GEMINI_BASE_URL: "https://proxy.example/v1",
    OLLAMA_API_KEY: "cloud",
    WORK_KEY: "work",
  };
  const reach = (name: string, settings: ModelSettings = {}, given: NodeJS.ProcessEnv = variables) => {
    const { baseUrl, addressFrom, secret, lacksKey } = providerAccess(name, settings, given);
    return [baseUrl, addressFrom, secret && `${secret.kind} ${secret.value} of ${secret.from}`, lacksKey];
  };

  it("providers configured by the usual environment variables", () => {
    expect(["openai", "anthropic", "Gemini", "openrouter", "ollama"].map((name) => reach(name))).toEqual([
      ["https://proxy.example/openai", "OPENAI_BASE_URL", "key sk-openai of OPENAI_API_KEY", false],
      [
        "https://proxy.example/anthropic/v1",
        "ANTHROPIC_BASE_URL",
        "token token of ANTHROPIC_AUTH_TOKEN",
        false,
      ],
      ["https://proxy.example/v1", "GOOGLE_GEMINI_BASE_URL", "key AIza of GOOGLE_API_KEY", false],
      ["https://openrouter.ai/api/v1", undefined, undefined, true],
      ["http://127.0.0.1:11434", undefined, undefined, false],
    ]);
  });

  it("Ollama at the address in its environment variable", () => {
    const hosts = [
      "box",
      "box:1234",
      ":1234",
      "0.0.0.0",
      "0.0.0.0:1234",
      "[::1]:1234",
      "http://box",
      "https://ollama.com/",
      "box/proxy/",
    ];
    expect(hosts.map((host) => reach("ollama", {}, { OLLAMA_HOST: host })[0])).toEqual([
      "http://box:11434",
      "http://box:1234",
      "http://127.0.0.1:1234",
      "http://127.0.0.1:11434",
      "http://127.0.0.1:1234",
      "http://[::1]:1234",
      "http://box",
      "https://ollama.com",
      "http://box:11434/proxy",
    ]);
    expect(reach("ollama", {}, { OLLAMA_HOST: "https://ollama.com", OLLAMA_API_KEY: "cloud" })).toEqual([
      "https://ollama.com",
      "OLLAMA_HOST",
      "key cloud of OLLAMA_API_KEY",
      false,
    ]);
  });

  it("the user's own servers, without sending them keys of others", () => {
    const settings: ModelSettings = {
      providers: {
        studio: { type: "openai-chat", baseUrl: "http://localhost:1234/v1/" },
        claude: { type: "anthropic", baseUrl: "http://localhost:1", apiKeyFrom: "WORK_KEY" },
        bare: { type: "openai" },
        openai: { apiKey: "sk-mine" },
      },
    };
    expect(["studio", "claude", "bare", "openai"].map((name) => reach(name, settings))).toEqual([
      ["http://localhost:1234/v1", "models.json", undefined, false],
      ["http://localhost:1/v1", "models.json", "key work of WORK_KEY", false],
      ["https://api.openai.com/v1", undefined, undefined, true],
      ["https://proxy.example/openai", "OPENAI_BASE_URL", "key sk-mine of models.json", false],
    ]);
  });
});
