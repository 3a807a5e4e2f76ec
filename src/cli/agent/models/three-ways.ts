import { join } from "node:path";
import { settingsFile } from "../../../models/provider-access.ts";
import { providerNames, providers } from "../../../models/providers.ts";
import { userDirectories } from "../../../system/directories.ts";
import { layTable } from "../../table.ts";

/** What a person without any model is told. */
export function threeWays(): string {
  const keys = providerNames
    .filter((name) => name !== "openai-chat")
    .map((name) => providers[name])
    .filter(({ keysAt }) => keysAt !== undefined)
    .map(({ keys: [variable], keysAt }) => [`export ${variable}=…`, keysAt!]);
  const file = join(userDirectories().config, settingsFile);
  return `Three ways to get a model:

1. A key in a variable, from one of these:
${layTable(keys, "     ")}
2. Ollama on this machine, without any key, from https://ollama.com:
     ollama pull qwen3:8b
     toolcrib run --model ollama/qwen3:8b "…"

3. Any server that speaks OpenAI's chat API (LM Studio, vLLM, llama.cpp), by a name of your own in ${file}:
     {"providers": {"mine": {"type": "openai-chat", "baseUrl": "http://localhost:1234/v1"}}}
     toolcrib run --model mine/NAME "…"

What is reachable now:             toolcrib models
A whole session without any model: toolcrib run --demo`;
}
