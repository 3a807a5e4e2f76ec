import type { ProviderServer, Script } from "../providers/provider-server.ts";
import { startProvider } from "../providers/start-provider.ts";
import { type CliRoom, cliRoom } from "./cli-room.ts";

/** A room of the command line in which a model says what a script says. */
export interface ModelRoom extends CliRoom {
  readonly server: ProviderServer;
}

/** `await using` removes it. */
export async function modelRoom(script: Script): Promise<ModelRoom> {
  const server = await startProvider("openai", script);
  const room = cliRoom({
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: server.settings.providers?.openai?.apiKey,
    TOOLCRIB_MODEL: server.model,
  });
  return {
    ...room,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await room[Symbol.asyncDispose]();
    },
  };
}
