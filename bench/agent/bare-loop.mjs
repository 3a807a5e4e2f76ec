// The least that an agent on the AI SDK can be: node bare-loop.mjs <kind> <base URL> <model>. One tool, no policy, no journal.
import { readFileSync } from "node:fs";

const [kind, baseURL, model] = process.argv.slice(2);
const apiKey = "loopback-key";
const open = {
  openai: async () => (await import("@ai-sdk/openai")).createOpenAI({ baseURL, apiKey }).responses(model),
  "openai-chat": async () =>
    (await import("@ai-sdk/openai-compatible"))
      .createOpenAICompatible({ name: "loopback", baseURL, apiKey, includeUsage: true })
      .chatModel(model),
  anthropic: async () =>
    (await import("@ai-sdk/anthropic")).createAnthropic({ baseURL, apiKey }).languageModel(model),
};
const languageModel = await open[kind]();
const tools = [
  {
    type: "function",
    name: "read",
    description: "Reads lines of a file.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string" },
        offset: { type: "integer" },
        limit: { type: "integer" },
      },
      required: ["path"],
      additionalProperties: false,
    },
  },
];
const prompt = [
  { role: "system", content: "You read files." },
  { role: "user", content: [{ type: "text", text: "Read the lines." }] },
];
const providerOptions = kind === "openai" ? { openai: { store: false } } : {};

for (;;) {
  const { stream } = await languageModel.doStream({ prompt, tools, providerOptions });
  const said = [];
  for await (const part of stream) {
    if (part.type === "tool-call") said.push({ ...part, input: JSON.parse(part.input) });
    if (part.type === "error") throw part.error;
  }
  if (said.length === 0) break;
  prompt.push({ role: "assistant", content: said.map(toCall) }, { role: "tool", content: said.map(answer) });
}

function toCall({ toolCallId, toolName, input, providerMetadata }) {
  return { type: "tool-call", toolCallId, toolName, input, providerOptions: providerMetadata };
}

function answer({ toolCallId, toolName, input: { path, offset, limit } }) {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .slice(offset - 1, offset - 1 + limit);
  return { type: "tool-result", toolCallId, toolName, output: { type: "text", value: lines.join("\n") } };
}
