import { onTestFinished } from "vitest";
import type { ProviderKind, ProviderOptions, ProviderServer, Script } from "./provider-server.ts";
import { startProvider } from "./start-provider.ts";

/** Starts a provider that is closed at the end of the test. */
export async function started(
  kind: ProviderKind,
  script: Script,
  options?: ProviderOptions,
): Promise<ProviderServer> {
  const server = await startProvider(kind, script, options);
  onTestFinished(() => server.close());
  return server;
}
