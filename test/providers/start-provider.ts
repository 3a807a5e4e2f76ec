import { anthropicProtocol } from "./anthropic/protocol.ts";
import { googleProtocol } from "./google/protocol.ts";
import { ollamaProtocol } from "./ollama/protocol.ts";
import { openAiProtocol } from "./openai/protocol.ts";
import { openAiChatProtocol } from "./openai-chat/protocol.ts";
import { openRouterProtocol } from "./openrouter/protocol.ts";
import type { ProviderProtocol } from "./protocol.ts";
import type { ProviderKind, ProviderOptions, ProviderServer, Script } from "./provider-server.ts";
import { serveProvider } from "./serve-provider.ts";

/** Starts a provider on this machine that follows the script. */
export function startProvider(
  kind: ProviderKind,
  script: Script,
  options?: ProviderOptions,
): Promise<ProviderServer> {
  return serveProvider(protocols[kind](), script, options);
}

const protocols: Readonly<Record<ProviderKind, () => ProviderProtocol>> = {
  openai: openAiProtocol,
  "openai-chat": openAiChatProtocol,
  openrouter: openRouterProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
  ollama: ollamaProtocol,
};
