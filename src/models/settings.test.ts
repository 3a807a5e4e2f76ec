import { describe, expect, it } from "vitest";
import { parseModelSettings } from "./settings.ts";

it("reads all settings", () => {
  const settings = {
    default: "studio/qwen3",
    agents: ["openai"],
    providers: {
      studio: { type: "openai-chat", baseUrl: "http://localhost:1234/v1", headers: { "X-Team": "a" } },
      openai: { apiKeyFrom: "WORK_KEY" },
      ollama: { contextTokens: 65_536 },
    },
    models: {
      "studio/qwen3": { contextTokens: 40_960, callsTools: false, prices: { input: 0, output: 0 } },
    },
  };
  expect(parseModelSettings(JSON.stringify(settings), "models.json")).toEqual(settings);
});

describe("names the invalid field, and never its value:", () => {
  it.each([
    ["{ sk-secret", "models.json is not valid JSON at line 1 column 3"],
    ["[]", "models.json: the file must be an object"],
    ['{"provders": {}}', "models.json: unknown field provders; did you mean providers?"],
    [
      '{"providers": {"x": {"type": "sk-secret"}}}',
      "models.json: providers.x.type must be one of anthropic, openai, openai-chat, google, openrouter, ollama",
    ],
    [
      '{"providers": {"x": {"baseURL": "sk-secret"}}}',
      "models.json: unknown field providers.x.baseURL; did you mean baseUrl?",
    ],
    ['{"providers": {"x": {"apiKey": 7}}}', "models.json: providers.x.apiKey must be a string"],
    ['{"providers": {"x": {"apiKey": ""}}}', "models.json: providers.x.apiKey is not valid"],
    [
      '{"models": {"a/b": {"contextTokens": 1.5}}}',
      "models.json: models.a/b.contextTokens must be a whole number",
    ],
    [
      '{"models": {"a/b": {"prices": {"input": 1}}}}',
      "models.json: models.a/b.prices.output must be a number",
    ],
  ])("%s", (text, message) => {
    expect(() => parseModelSettings(text, "models.json")).toThrow(
      expect.objectContaining({ code: "invalid-input", message }),
    );
  });
});
