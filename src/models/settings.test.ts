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

describe("names the line and the invalid field, and never its value:", () => {
  it.each([
    [
      '{\n "default": sk-secret',
      'models.json is not valid JSON: expected a value at line 2, column 13, found "s"',
    ],
    ["[]", "models.json:1: the file must be a group of fields"],
    ['{\n\n"provders": {}}', "models.json:3: unknown key provders; did you mean providers?"],
    [
      '{"providers": {\n"x": {\n"type": "sk-secret"}}}',
      "models.json:3: providers.x.type must be one of anthropic, openai, openai-chat, google, openrouter, ollama",
    ],
    [
      '{"providers": {\n"x": {"baseURL": "sk-secret"}}}',
      "models.json:2: unknown key providers.x.baseURL; did you mean providers.x.baseUrl?",
    ],
    ['{"providers": {"x": {"apiKey": 7}}}', "models.json:1: providers.x.apiKey must be a string"],
    ['{"providers": {"x": {\n"apiKey": ""}}}', "models.json:2: providers.x.apiKey must not be empty"],
    ['{"agents": ["a",\n"b",\n7]}', "models.json:3: agents.2 must be a string"],
    [
      '{"models": {\n"a/b": {\n"contextTokens": 1.5}}}',
      "models.json:3: models.a/b.contextTokens must be a whole number",
    ],
    ['{"models": {"a/b": {\n"prices": {"input": 1}}}}', "models.json:2: models.a/b.prices.output is missing"],
  ])("%s", (text, message) => {
    expect(() => parseModelSettings(text, "models.json")).toThrow(
      expect.objectContaining({ code: "invalid-input", message }),
    );
  });
});
