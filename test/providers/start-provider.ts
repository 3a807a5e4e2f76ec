import { anthropicProtocol } from "./anthropic/protocol.ts";
import { googleProtocol } from "./google/protocol.ts";
import { openAiProtocol } from "./openai/protocol.ts";
import { openAiChatProtocol } from "./openai-chat/protocol.ts";
import { openRouterProtocol } from "./openrouter/protocol.ts";
import type { ProviderProtocol } from "./protocol.ts";
import type { ProviderKind, ProviderOptions, ProviderServer, Script } from "./provider-server.ts";
import { serveProvider } from "./serve-provider.ts";

/** A provider on this machine that says what the script says. */
export function startProvider(
  kind: ProviderKind,
  script: Script,
  options?: ProviderOptions,
): Promise<ProviderServer> {
  const protocol = protocols[kind];
  if (protocol === undefined) throw new Error(`Nobody speaks ${kind} yet.`);
  return serveProvider(protocol(), script, options);
}

const protocols: Readonly<Partial<Record<ProviderKind, () => ProviderProtocol>>> = {
  openai: openAiProtocol,
  "openai-chat": openAiChatProtocol,
  openrouter: openRouterProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
};
