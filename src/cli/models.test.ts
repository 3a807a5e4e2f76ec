import { expect, it } from "vitest";
import { startProvider } from "../../test/providers/start-provider.ts";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";

/** Ollama may be running on the machine that runs the tests. */
const nowhere = { OLLAMA_HOST: "127.0.0.1:1" };

it("shows the available models, how they are reached, and the default", async () => {
  const [openai, ollama] = await Promise.all([
    startProvider("openai", [], { models: ["gpt-5.5", "gpt-7", "text-embedding-4"] }),
    startProvider("ollama", [], { models: ["qwen3:8b"] }),
  ]);
  const { apiKey } = openai.settings.providers?.openai ?? {};
  await using fixture = cliWorkspace({
    OPENAI_BASE_URL: `${openai.url}/v1`,
    OPENAI_API_KEY: apiKey,
    OLLAMA_HOST: ollama.url,
  });
  const mine = { type: "openai-chat", baseUrl: `${openai.url}/v1`, apiKeyFrom: "OPENAI_API_KEY" };
  const settings = {
    default: "openai/gpt-5.5",
    providers: { mine, ollama: { apiKey } },
    models: { "mine/gpt-7": { callsTools: false } },
  };
  fixture.write(`${fixture.home}/config/models.json`, JSON.stringify(settings));
  const { exit, stdout, stderr } = await fixture.run("models");
  expect([exit, stderr, stdout.split("\n")]).toEqual([
    0,
    "",
    [
      `openai: available, 2 models. Key from OPENAI_API_KEY. At ${openai.url}/v1, from OPENAI_BASE_URL.`,
      "  openai/gpt-5.5  1,050,000 tokens  $5 in, $30 out  default",
      "  openai/gpt-7    context unknown   price unknown",
      "",
      `ollama: available, 1 model. Key from models.json. At ${ollama.url}, from OLLAMA_HOST.`,
      "  ollama/qwen3:8b  context unknown  free",
      "",
      `mine: available, 2 models. Key from OPENAI_API_KEY. At ${openai.url}/v1, from models.json.`,
      "  mine/gpt-5.5  1,050,000 tokens  price unknown",
      "  mine/gpt-7    context unknown   price unknown  no tool calls: use --protocol text",
      "",
      "anthropic: no key. Set ANTHROPIC_API_KEY. Get a key at https://console.anthropic.com/settings/keys",
      "google (Google Gemini): no key. Set GEMINI_API_KEY. Get a key at https://aistudio.google.com/apikey",
      "openrouter: no key. Set OPENROUTER_API_KEY. Get a key at https://openrouter.ai/keys",
      "",
      "Default: openai/gpt-5.5 (from models.json)",
      "",
    ],
  ]);
  const one = await fixture.run("models", "Ollama", "--json");
  expect([one.exit, JSON.parse(one.stdout)]).toEqual([
    0,
    {
      default: { id: "openai/gpt-5.5", from: "models.json" },
      providers: [
        {
          name: "ollama",
          label: "Ollama",
          type: "ollama",
          address: ollama.url,
          addressFrom: "OLLAMA_HOST",
          keyFrom: "models.json",
          state: "reachable",
          problem: null,
          hint: null,
          models: [{ id: "ollama/qwen3:8b", name: "qwen3:8b", facts: { prices: { input: 0, output: 0 } } }],
        },
      ],
    },
  ]);
  await Promise.all([openai.close(), ollama.close()]);
});

it("shows three ways to get a model when there is none", async () => {
  await using fixture = cliWorkspace(nowhere);
  const { exit, stdout } = await fixture.run("models");
  expect([exit, stdout.slice(stdout.indexOf("Three ways")).split("\n")]).toEqual([
    1,
    [
      "Three ways to get a model:",
      "",
      "1. Set a key from one of these providers:",
      "     export ANTHROPIC_API_KEY=KEY   https://console.anthropic.com/settings/keys",
      "     export OPENAI_API_KEY=KEY      https://platform.openai.com/api-keys",
      "     export GEMINI_API_KEY=KEY      https://aistudio.google.com/apikey",
      "     export OPENROUTER_API_KEY=KEY  https://openrouter.ai/keys",
      "",
      "2. Run Ollama on this machine, without a key, from https://ollama.com:",
      "     ollama pull qwen3:8b",
      '     toolcrib run --model ollama/qwen3:8b "your task"',
      "",
      `3. Use a server with OpenAI's chat API (LM Studio, vLLM, llama.cpp): name it in ${fixture.home}/config/models.json`,
      '     {"providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}',
      '     toolcrib run --model mine/NAME "your task"',
      "",
      "List the available models:    toolcrib models",
      "Try a session without one:    toolcrib run --demo, or toolcrib chat --demo",
      "",
    ],
  ]);
});

it("ignores settings in the current folder, and reports errors in the user's own", async () => {
  await using fixture = cliWorkspace(nowhere);
  fixture.write("models.json", '{"providers": {"openai": {"baseUrl": "http://evil.example/v1"}}}');
  fixture.write(".toolcrib/models.json", '{"providers": {"openai": {"baseUrl": "http://evil.example/v1"}}}');
  const before = await fixture.run("models", "openai", "--json");
  fixture.write(`${fixture.home}/config/models.json`, '{"providers": {"openai": {"apikey": "sk-secret"}}}');
  const after = await fixture.run("models");
  expect([JSON.parse(before.stdout).providers[0].address, after.exit, after.stderr.split("\n")[0]]).toEqual([
    "https://api.openai.com/v1",
    2,
    `${fixture.home}/config/models.json:1: unknown key providers.openai.apikey; did you mean providers.openai.apiKey?`,
  ]);
});

it("refuses an unknown provider, and more than one", async () => {
  await using fixture = cliWorkspace(nowhere);
  const [wrong, many] = [
    await fixture.run("models", "opnai"),
    await fixture.run("models", "openai", "ollama"),
  ];
  expect([wrong.exit, wrong.stderr, many.exit, many.stderr]).toEqual([
    2,
    'Unknown provider "opnai"; known: anthropic, openai, openai-chat, google, openrouter, ollama\nDid you mean openai?\n',
    2,
    "Unexpected argument: ollama\nSee: toolcrib help models\n",
  ]);
});
