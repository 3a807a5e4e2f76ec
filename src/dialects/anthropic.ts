import type { Dialect } from "./dialect.ts";
import { editFile, glob, grepWithModes, readFile, shell, writeFile } from "./forge/tools.ts";
import { agentTools } from "./shared/agent-tools.ts";

/** Forge's tools for Anthropic's models, which edit by old and new text. */
export const anthropicDialect: Dialect = {
  name: "anthropic",
  tools: [readFile, writeFile, shell({ timeoutMs: 120_000 }), grepWithModes, glob, editFile, ...agentTools],
};
