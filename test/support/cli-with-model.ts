import type { ProviderServer, Script } from "../providers/provider-server.ts";
import { startProvider } from "../providers/start-provider.ts";
import { type CliWorkspace, cliWorkspace } from "./cli-workspace.ts";

/** A command line with a model that plays a script. */
export interface CliWithModel extends CliWorkspace {
  readonly server: ProviderServer;
}

/** Use with `await using`. */
export async function cliWithModel(script: Script, variables: NodeJS.ProcessEnv = {}): Promise<CliWithModel> {
  const server = await startProvider("openai", script);
  const fixture = cliWorkspace({
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: server.settings.providers?.openai?.apiKey,
    TOOLCRIB_MODEL: server.model,
    ...variables,
  });
  return {
    ...fixture,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}
