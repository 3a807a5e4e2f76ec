/** The entry for Forge: tool registries and provider profiles under Forge's names. */
import { anthropicDialect, geminiDialect, openaiDialect } from "../dialects/forge.ts";
import { ToolRegistry } from "./forge/tool-registry.ts";

export {
  type CommandOptions,
  type CommandResult,
  type EnvironmentOptions,
  type ExecutionEnvironment,
  type GrepOptions,
  LocalExecutionEnvironment,
} from "./forge/execution-environment.ts";
export {
  AnthropicProviderProfile,
  GeminiProviderProfile,
  OpenAiProviderProfile,
  type ProviderProfile,
} from "./forge/provider-profiles.ts";
export type { CustomTool } from "./forge/tool-registry.ts";
export { ToolRegistry } from "./forge/tool-registry.ts";

/** Returns `read_file write_file shell grep glob apply_patch`, and four tools for agents, where there are any. */
export function buildOpenAiTools(): ToolRegistry {
  return new ToolRegistry(openaiDialect);
}

/** Returns the tools for OpenAI, with `edit_file` instead of `apply_patch`. */
export function buildAnthropicTools(): ToolRegistry {
  return new ToolRegistry(anthropicDialect);
}

/** Returns the tools for Anthropic, and `read_many_files list_dir web_search web_fetch`. */
export function buildGeminiTools(): ToolRegistry {
  return new ToolRegistry(geminiDialect);
}
