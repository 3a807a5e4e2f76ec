import type { Dialect } from "./dialect.ts";
import { applyPatch, glob, grep, readFile, shell, writeFile } from "./forge/tools.ts";
import { agentTools } from "./shared/agent-tools.ts";

/** Forge's tools for OpenAI's models, which edit by patches. */
export const openaiDialect: Dialect = {
  name: "openai",
  tools: [readFile, writeFile, shell({ timeoutMs: 10_000 }), grep, glob, applyPatch, ...agentTools],
};
